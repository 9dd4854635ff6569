"""What makes this host unsteady: settings of the kernel, and what is seen and measured now.

A new look is a function in `LOOKS`. Unknown isn't ok.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from dyno.host.knobs import KNOBS, Knob
from dyno.host.seen import Seen

State = Literal["ok", "warning", "unknown"]

ROOT = Path("/")
# What a CPU's own noise may be, and what other programs may take.
STEADY_SD_PCT = 2.0
IDLE_MIN_PCT = 95.0
STEAL_MAX_PCT = 0.5
INTERRUPTS_MAX_PER_S = 2000.0
AVAILABLE_MIN = 0.1
# Waking a CPU may cost a round trip this much of what it takes awake.
WAKE_MAX = 1.3


@dataclass(frozen=True)
class Finding:
    """One thing that can make a host unsteady: how it stands here, and why it matters.

    `effect`: what it was measured to do here; "" where that takes too long or can't be seen.
    `tunable`: whether `dyno host tune` can change it.
    """

    name: str
    state: State
    value: str
    matters: str
    effect: str = ""
    tunable: bool = False


def look(say: Callable[[str], None], root: Path = ROOT) -> Iterator[Finding]:
    """All findings; measuring takes some seconds, of which `say` hears."""
    for knob in KNOBS:
        yield _of_knob(knob, root)
    say("watching the host for a second")
    seen = Seen.now(root)
    for one in LOOKS:
        yield one(seen)
    say("measuring how long a sleeping CPU takes to wake")
    yield sleeping(seen)
    say("measuring how steady a CPU is")
    yield steadiness(seen)


def _of_knob(knob: Knob, root: Path) -> Finding:
    wanted, found = knob.wanted(root), knob.read(root)
    if not wanted:
        return Finding(knob.name, "ok", "not there", knob.matters)
    if not found:
        return Finding(knob.name, "unknown", "can't be read", knob.matters)
    fine = all(knob.is_fine(value, wanted[path]) for path, value in found.items())
    value = ", ".join(sorted(set(found.values())))
    return Finding(knob.name, "ok" if fine else "warning", value, knob.matters, tunable=True)


def _judged(value: float | None, *, fine: bool, shown: str) -> tuple[State, str]:
    if value is None:
        return "unknown", "can't be read"
    return ("ok" if fine else "warning"), shown


def other_load(seen: Seen) -> Finding:
    """Other programs."""
    idle = seen.idle_pct
    state, shown = _judged(
        idle, fine=(idle or 0) >= IDLE_MIN_PCT, shown=f"CPUs {100 - (idle or 0):.1f} % busy"
    )
    return Finding("other load", state, shown, "other programs take CPU time and caches")


def steal(seen: Seen) -> Finding:
    """Other guests of the hypervisor."""
    part = seen.steal_pct
    state, shown = _judged(part, fine=(part or 0) <= STEAL_MAX_PCT, shown=f"{part or 0:.1f} %")
    return Finding("steal", state, shown, "other guests take CPU time; no setting here prevents it")


def throttling(seen: Seen) -> Finding:
    """Heat, and quotas of control groups."""
    count = seen.throttled
    shown = f"{count or 0:g} times in the last second"
    state, value = _judged(count, fine=not count, shown=shown)
    return Finding("throttling", state, value, "heat or a control group's quota slows CPUs down")


def interrupts(seen: Seen) -> Finding:
    """Interrupts on the CPUs that `split` gives the server."""
    rate = seen.interrupts_per_s
    shown = f"{rate or 0:,.0f}/s on the busiest of the server's CPUs ({seen.server_cpus})"
    state, value = _judged(rate, fine=(rate or 0) <= INTERRUPTS_MAX_PER_S, shown=shown)
    return Finding("interrupts", state, value, "devices interrupt the server's CPUs")


def swap(seen: Seen) -> Finding:
    """Pages that went to swap or came back."""
    pages = seen.swapped
    shown = f"{pages or 0:,.0f} pages in the last second"
    state, value = _judged(pages, fine=not pages, shown=shown)
    return Finding("swap", state, value, "memory comes from disk")


def memory(seen: Seen) -> Finding:
    """What is left for the page cache."""
    part = seen.available
    shown = f"{100 * (part or 0):.0f} % of memory is free or cache"
    state, value = _judged(part, fine=(part or 0) >= AVAILABLE_MIN, shown=shown)
    return Finding("page cache", state, value, "with little memory left files are read again")


LOOKS: tuple[Callable[[Seen], Finding], ...] = (
    other_load,
    steal,
    throttling,
    interrupts,
    swap,
    memory,
)


def sleeping(seen: Seen) -> Finding:
    """What waking a CPU costs, by round trips between two of them."""
    matters = "a load over few connections pays the waking of a CPU with every op"
    trips = seen.trips()
    if trips is None:
        return Finding("sleeping CPUs", "unknown", "one CPU", matters)
    asleep, awake, together = trips
    return Finding(
        "sleeping CPUs",
        "warning" if asleep.median > WAKE_MAX * awake.median else "ok",
        seen.idle_driver,
        matters,
        f"a round trip between two CPUs takes {asleep.median:.1f} µs (sd {asleep.sd_pct:.0f} %), "
        f"kept awake {awake.median:.1f} µs (sd {awake.sd_pct:.0f} %), "
        f"on one CPU {together.median:.1f} µs",
    )


def steadiness(seen: Seen) -> Finding:
    """The same work again and again on some CPUs."""
    worst = max(seen.work(), key=lambda spread: spread.sd_pct)
    return Finding(
        "same work again",
        "ok" if worst.sd_pct <= STEADY_SD_PCT else "warning",
        f"sd {worst.sd_pct:.1f} %, worst +{worst.worst_pct:.0f} %, n {worst.n}",
        "what a CPU does in a second differs: the sum of all that stands above",
    )
