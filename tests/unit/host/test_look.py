"""What is seen of a host, on made-up ones and on this one."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from dyno.host import KNOBS, changes, effects, look
from dyno.host.look import LOOKS, _of_knob
from dyno.host.seen import Seen, _interrupted_pct, _interrupts

QUIET = Seen(
    busy_pct=0.5,
    steal_pct=0.0,
    throttled=0,
    interrupts_per_s=300,
    interrupted_pct=0.4,
    swapped=0,
    available_pct=60.0,
    idle_driver="haltpoll",
    server=frozenset({0, 1}),
)
BUSY = Seen(
    busy_pct=40.0,
    steal_pct=3.0,
    throttled=2,
    interrupts_per_s=9000,
    interrupted_pct=12.0,
    swapped=40,
    available_pct=5.0,
    idle_driver="unknown",
    server=frozenset({0, 1}),
)
BLIND = Seen(None, None, None, None, None, None, None, "unknown", frozenset({0}))


def states(seen: Seen) -> set[str]:
    return {one.of(seen).state for one in LOOKS}


def test_a_quiet_host_is_ok_a_busy_one_is_not_and_unknown_is_neither() -> None:
    assert states(QUIET) == {"ok"}
    assert states(BUSY) == {"warning"}
    assert states(BLIND) == {"unknown"}


def test_what_interrupts_took_is_shown() -> None:
    (interrupts,) = [one for one in LOOKS if one.name == "interrupts"]
    assert interrupts.of(BUSY).effect == "they took 12.0 % of a CPU's time"
    assert interrupts.of(replace(BUSY, interrupted_pct=None)).effect == ""


def test_a_cpu_that_interrupts_took_is_found() -> None:
    before = {cpu: dict.fromkeys(("user", "idle", "irq", "softirq"), 100) for cpu in (0, 1, 2)}
    after = {
        0: {"user": 150, "idle": 140, "irq": 104, "softirq": 106},
        1: {"user": 150, "idle": 150, "irq": 100, "softirq": 100},
        2: {"user": 100, "idle": 100, "irq": 200, "softirq": 100},
    }
    assert _interrupted_pct(before, after, frozenset({0, 1})) == 10.0
    assert _interrupted_pct(None, after, frozenset({0})) is None
    assert _interrupted_pct(before, after, frozenset({7})) is None


@pytest.mark.parametrize(
    ("effect", "words"),
    [
        (effects.of_frequency, r"right after a sleep of 20 ms a CPU is \d+ % slower"),
        (effects.of_siblings, r"(while the other CPU of its core works, a CPU is \d+ % slower)?"),
        (effects.of_turbo, r"(while all other cores work, a CPU is \d+ % slower)?"),
        (
            effects.of_huge_pages,
            r"reads here and there in 256 MiB take -?\d+ % less time in huge.*",
        ),
    ],
)
def test_an_effect_is_measured_here(effect: Callable[[], str], words: str) -> None:
    assert re.fullmatch(words, effect())


def test_a_setting_that_does_nothing_here_is_no_warning(tmp_path: Path) -> None:
    (knob,) = [knob for knob in KNOBS if knob.name == "swappiness"]
    file = tmp_path / "proc/sys/vm/swappiness"
    file.parent.mkdir(parents=True)
    file.write_text("60\n")
    memory = tmp_path / "proc/meminfo"
    memory.write_text("MemTotal: 1000 kB\nSwapTotal: 500 kB\n")
    assert _of_knob(knob, tmp_path, print).state == "warning"
    assert [change.knob for change in changes(tmp_path)] == ["swappiness"]
    memory.write_text("MemTotal: 1000 kB\nSwapTotal: 0 kB\n")
    found = _of_knob(knob, tmp_path, print)
    assert (found.state, found.value) == ("ok", "60, no swap here")
    assert changes(tmp_path) == []


def test_interrupts_are_counted_by_cpu() -> None:
    text = (
        "           CPU0       CPU2\n"
        "  1:          5          7   IO-APIC   1-edge      i8042\n"
        "LOC:        100        200   Local timer interrupts\n"
        "ERR:          3\n"
    )
    assert _interrupts(text) == {0: 105, 2: 207}


@pytest.mark.slow
def test_this_host_is_seen_whole() -> None:
    said: list[str] = []
    found = {finding.name: finding for finding in look(said.append)}
    assert len(said) >= 3
    assert {"governor", "sleeping CPUs", "same work again", "page cache"} <= found.keys()
    assert all(finding.matters for finding in found.values())
    assert "µs" in found["sleeping CPUs"].effect or found["sleeping CPUs"].value == "one CPU"
    assert "sd" in found["same work again"].value
    assert re.search(r"\d % slower|one CPU", found["CPUs together"].value)
    assert found["other load"].state != "unknown"


def test_a_host_that_shows_nothing_is_unknown(tmp_path: Path) -> None:
    seen = Seen.now(tmp_path)
    assert seen.busy_pct is None
    assert seen.interrupts_per_s is None
    assert seen.idle_driver == "unknown"
