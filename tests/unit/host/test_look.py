"""What is seen of a host, on made-up ones and on this one."""

from __future__ import annotations

from pathlib import Path

from dyno.host import look
from dyno.host.look import LOOKS
from dyno.host.seen import Seen, _interrupts

QUIET = Seen(
    busy_pct=0.5,
    steal_pct=0.0,
    throttled=0,
    interrupts_per_s=300,
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
    swapped=40,
    available_pct=5.0,
    idle_driver="unknown",
    server=frozenset({0, 1}),
)
BLIND = Seen(None, None, None, None, None, None, "unknown", frozenset({0}))


def states(seen: Seen) -> set[str]:
    return {one.of(seen).state for one in LOOKS}


def test_a_quiet_host_is_ok_a_busy_one_is_not_and_unknown_is_neither() -> None:
    assert states(QUIET) == {"ok"}
    assert states(BUSY) == {"warning"}
    assert states(BLIND) == {"unknown"}


def test_interrupts_are_counted_by_cpu() -> None:
    text = (
        "           CPU0       CPU2\n"
        "  1:          5          7   IO-APIC   1-edge      i8042\n"
        "LOC:        100        200   Local timer interrupts\n"
        "ERR:          3\n"
    )
    assert _interrupts(text) == {0: 105, 2: 207}


def test_this_host_is_seen_whole() -> None:
    said: list[str] = []
    found = {finding.name: finding for finding in look(said.append)}
    assert len(said) == 3
    assert {"governor", "sleeping CPUs", "same work again", "page cache"} <= found.keys()
    assert all(finding.matters for finding in found.values())
    assert "µs" in found["sleeping CPUs"].effect or found["sleeping CPUs"].value == "one CPU"
    assert "sd" in found["same work again"].value
    assert found["other load"].state != "unknown"


def test_a_host_that_shows_nothing_is_unknown(tmp_path: Path) -> None:
    seen = Seen.now(tmp_path)
    assert seen.busy_pct is None
    assert seen.interrupts_per_s is None
    assert seen.idle_driver == "unknown"
