"""What makes this host unsteady: kernel settings, and what is seen and measured now.

A new figure of a second is a row of `LOOKS`. Unknown isn't ok.
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
# How noisy a CPU may be by itself, and how much other programs may take.
STEADY_SD_PCT = 2.0
BUSY_MAX_PCT = 5.0
STEAL_MAX_PCT = 0.5
INTERRUPTS_MAX_PER_S = 2000.0
AVAILABLE_MIN_PCT = 10.0
# Waking a CPU may cost a round trip this much of what it takes when awake.
WAKE_MAX = 1.3
# And the work of all others this much of a CPU's speed.
TOGETHER_MAX_PCT = 10.0


@dataclass(frozen=True)
class Finding:
    """One thing that can make a host unsteady: its state here, and why it matters.

    `effect`: its measured effect here; "" if that takes too long or can't be seen.
    `tunable`: whether `dyno host tune` can change it.
    """

    name: str
    state: State
    value: str
    matters: str
    effect: str = ""
    tunable: bool = False


def look(say: Callable[[str], None], root: Path = ROOT) -> Iterator[Finding]:
    """All findings; measuring takes some seconds, which `say` announces."""
    for knob in KNOBS:
        yield _of_knob(knob, root, say)
    say("watching the host for a second")
    seen = Seen.now(root)
    for one in LOOKS:
        yield one.of(seen)
    say("measuring how long a sleeping CPU takes to wake")
    yield sleeping(seen)
    say("measuring what CPUs take from each other")
    yield together(seen)
    say("measuring how steady a CPU is")
    yield steadiness(seen)


def _of_knob(knob: Knob, root: Path, say: Callable[[str], None]) -> Finding:
    wanted, found = knob.wanted(root), knob.read(root)
    if not wanted:
        return Finding(knob.name, "ok", "not there", knob.matters)
    if not found:
        return Finding(knob.name, "unknown", "can't be read", knob.matters)
    value = ", ".join(sorted(set(found.values())))
    if all(knob.is_fine(value, wanted[path]) for path, value in found.items()):
        return Finding(knob.name, "ok", value, knob.matters, tunable=True)
    if reason := knob.moot(root):
        return Finding(knob.name, "ok", f"{value}, {reason}", knob.matters)
    effect = ""
    if knob.effect is not None:
        say(f"measuring what {knob.name} does here")
        effect = knob.effect()
    return Finding(knob.name, "warning", value, knob.matters, effect, tunable=True)


@dataclass(frozen=True)
class Look:
    """A figure of a second: which one, when it is fine, how it reads, and its effect."""

    name: str
    value: Callable[[Seen], float | None]
    fine: Callable[[float], bool]
    shown: str
    matters: str
    effect: Callable[[Seen], str] = lambda seen: ""

    def of(self, seen: Seen) -> Finding:
        """Judge it; `shown` may contain {value} and {cpus}, those that `split` gives the server."""
        value = self.value(seen)
        if value is None:
            return Finding(self.name, "unknown", "can't be read", self.matters)
        shown = self.shown.format(value=value, cpus=seen.server_cpus)
        state: State = "ok" if self.fine(value) else "warning"
        return Finding(self.name, state, shown, self.matters, self.effect(seen))


def _of_interrupts(seen: Seen) -> str:
    part = seen.interrupted_pct
    return "" if part is None else f"they took {part:.1f} % of a CPU's time"


LOOKS: tuple[Look, ...] = (
    Look(
        "other load",
        lambda seen: seen.busy_pct,
        lambda busy: busy <= BUSY_MAX_PCT,
        "CPUs {value:.1f} % busy",
        "other programs take CPU time and caches",
    ),
    Look(
        "steal",
        lambda seen: seen.steal_pct,
        lambda part: part <= STEAL_MAX_PCT,
        "{value:.1f} %",
        "other guests take CPU time; no setting here prevents it",
    ),
    Look(
        "throttling",
        lambda seen: seen.throttled,
        lambda count: not count,
        "{value:g} times in the last second",
        "heat or a control group's quota slows CPUs down",
    ),
    Look(
        "interrupts",
        lambda seen: seen.interrupts_per_s,
        lambda rate: rate <= INTERRUPTS_MAX_PER_S,
        "{value:,.0f}/s on the busiest of the server's CPUs ({cpus})",
        "devices interrupt the server's CPUs",
        _of_interrupts,
    ),
    Look(
        "swap",
        lambda seen: seen.swapped,
        lambda pages: not pages,
        "{value:,.0f} pages in the last second",
        "memory comes from disk",
    ),
    Look(
        "page cache",
        lambda seen: seen.available_pct,
        lambda part: part >= AVAILABLE_MIN_PCT,
        "{value:.0f} % of memory is free or cache",
        "with little memory left, files are read from disk again",
    ),
)


def sleeping(seen: Seen) -> Finding:
    """What waking a CPU costs, by round trips between two of them."""
    matters = "with few connections every op pays for waking a CPU"
    trips = seen.trips()
    if trips is None:
        return Finding("sleeping CPUs", "unknown", "one CPU", matters)
    if trips.awake is not None:
        kept = f"kept awake {trips.awake.median:.1f} µs (sd {trips.awake.sd_pct:.0f} %)"
    else:
        kept = f"with loops that would keep them awake {trips.looped_us:.1f} µs"
    # Where nothing keeps them awake, the same thread on one CPU shows what waking costs.
    least = (trips.awake or trips.together).median
    return Finding(
        "sleeping CPUs",
        "warning" if trips.asleep.median > WAKE_MAX * least else "ok",
        seen.idle_driver,
        matters,
        f"a round trip between two CPUs takes {trips.asleep.median:.1f} µs "
        f"(sd {trips.asleep.sd_pct:.0f} %), {kept}, on one CPU {trips.together.median:.1f} µs",
    )


def together(seen: Seen) -> Finding:
    """What a CPU loses while all others work, whether or not the host shows what they share."""
    matters = "server and load generator slow each other; keeping CPUs awake costs what it gains"
    slower_pct = seen.slower_together_pct()
    if slower_pct is None:
        return Finding("CPUs together", "unknown", "one CPU", matters)
    return Finding(
        "CPUs together",
        "ok" if slower_pct <= TOGETHER_MAX_PCT else "warning",
        f"a CPU is {slower_pct:.0f} % slower while all others work",
        matters,
    )


def steadiness(seen: Seen) -> Finding:
    """The same work again and again on some CPUs."""
    worst = max(seen.work(), key=lambda spread: spread.sd_pct)
    return Finding(
        "same work again",
        "ok" if worst.sd_pct <= STEADY_SD_PCT else "warning",
        f"sd {worst.sd_pct:.1f} %, worst +{worst.worst_pct:.0f} %, n {worst.n}",
        "a CPU does more work in some seconds than in others: all of the above added up",
    )
