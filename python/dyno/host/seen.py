"""What a host did in a second, and what was measured on it. Unknown is None."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dyno.cpus import CpuSet, format_cpus
from dyno.errors import SpecError
from dyno.host.effects import slower_beside_pct
from dyno.host.probes import same_work
from dyno.runner.awake import kept_awake
from dyno.runner.placement import sets_of
from dyno.telemetry import proc
from dyno.telemetry.round_trips import Spread, round_trips

WATCHED_S = 1.0
# CPUs are much alike: only this many are tested.
WORKED_ON = 4


@dataclass(frozen=True)
class Trips:
    """Round trips between two CPUs as they are, between the two kept awake, and on one of them.

    `awake` is None if nothing that helps is available; `looped_us`: with loops, if tried.
    """

    asleep: Spread
    awake: Spread | None
    together: Spread
    looped_us: float | None


@dataclass(frozen=True)
class Seen:
    """Figures of about a second. `throttled` and `swapped` are counts; `interrupted_pct` is the
    largest share of its time that one of the server's CPUs spent on interrupts.
    """

    busy_pct: float | None
    steal_pct: float | None
    throttled: float | None
    interrupts_per_s: float | None
    interrupted_pct: float | None
    swapped: float | None
    available_pct: float | None
    idle_driver: str
    server: CpuSet

    @classmethod
    def now(cls, root: Path) -> Seen:
        """Watch the host for a second."""
        server = _server_cpus()
        before, begun = _Counters.read(root), time.monotonic()
        time.sleep(WATCHED_S)
        after, lasted_s = _Counters.read(root), time.monotonic() - begun
        return cls(
            busy_pct=_busy_pct(before.ticks, after.ticks),
            steal_pct=_part(before.ticks, after.ticks, "steal"),
            throttled=_moved(before.throttled, after.throttled),
            interrupts_per_s=_busiest(before.interrupts, after.interrupts, server, lasted_s),
            interrupted_pct=_interrupted_pct(before.by_cpu, after.by_cpu, server),
            swapped=_moved(before.swapped, after.swapped),
            available_pct=proc.known(lambda: _available_pct(root)),
            idle_driver=_idle_driver(root),
            server=server,
        )

    @property
    def server_cpus(self) -> str:
        """Those that `split` gives the server, as the kernel writes them."""
        return format_cpus(self.server)

    def trips(self) -> Trips | None:
        """Round trips between two CPUs; None on one CPU."""
        usable = sorted(os.sched_getaffinity(0))
        if len(usable) < 2:
            return None
        first, second = usable[0], usable[-1]
        asleep = round_trips(first, second)
        with kept_awake(frozenset({first, second})) as held:
            awake = None if held.way == "not" else round_trips(first, second)
        looped_us = held.trips.looped_us if held.trips else None
        return Trips(asleep, awake, round_trips(first, first), looped_us)

    def slower_together_pct(self) -> float | None:
        """How much slower a CPU is while all others work; None on one CPU."""
        cpu, *others = sorted(os.sched_getaffinity(0))
        return slower_beside_pct(cpu, frozenset(others)) if others else None

    def work(self) -> list[Spread]:
        """The same work over and over, on a few CPUs one after the other."""
        usable = sorted(os.sched_getaffinity(0))
        return [same_work(cpu) for cpu in usable[:: max(1, len(usable) // WORKED_ON)][:WORKED_ON]]


@dataclass(frozen=True)
class _Counters:
    ticks: Mapping[str, int] | None
    by_cpu: Mapping[int, Mapping[str, int]] | None
    throttled: float | None
    interrupts: Mapping[int, int] | None
    swapped: float | None

    @classmethod
    def read(cls, root: Path) -> _Counters:
        return cls(
            proc.known(lambda: proc.host_cpu_ticks(proc.read_text(root / "proc/stat"))),
            proc.known(lambda: proc.cpu_ticks(proc.read_text(root / "proc/stat"))),
            proc.known(lambda: _throttled(root)),
            proc.known(lambda: _interrupts(proc.read_text(root / "proc/interrupts"))),
            proc.known(lambda: _swapped(root)),
        )


def _server_cpus() -> CpuSet:
    try:
        sets = sets_of("split")
    except SpecError:
        sets = None
    return sets.server if sets else frozenset(os.sched_getaffinity(0))


def _throttled(root: Path) -> float:
    """Counters of thermal and control-group throttling; 0 where the host has none of them."""
    heat = root.glob("sys/devices/system/cpu/cpu[0-9]*/thermal_throttle/core_throttle_count")
    found = sum(int(proc.read_text(path)) for path in heat)
    quota = root / "sys/fs/cgroup/cpu.stat"
    if quota.exists():
        found += proc.first_numbers(proc.read_text(quota)).get("nr_throttled", 0)
    return found


def _interrupts(text: str) -> dict[int, int]:
    """Interrupts so far by CPU: the heading names the CPUs, a line has a count for each."""
    heading, *lines = text.splitlines()
    cpus = [int(word.removeprefix("CPU")) for word in heading.split()]
    found = dict.fromkeys(cpus, 0)
    for line in lines:
        counts = line.partition(":")[2].split()[: len(cpus)]
        if len(counts) == len(cpus) and all(count.isdecimal() for count in counts):
            for cpu, count in zip(cpus, counts, strict=True):
                found[cpu] += int(count)
    return found


def _swapped(root: Path) -> float:
    found = proc.first_numbers(proc.read_text(root / "proc/vmstat"))
    return found["pswpin"] + found["pswpout"]


def _available_pct(root: Path) -> float:
    found = proc.first_numbers(proc.read_text(root / "proc/meminfo"))
    return 100 * found["MemAvailable"] / found["MemTotal"]


def _idle_driver(root: Path) -> str:
    folder = root / "sys/devices/system/cpu/cpuidle"
    driver = proc.known(lambda: proc.read_text(folder / "current_driver").strip())
    governor = proc.known(lambda: proc.read_text(folder / "current_governor_ro").strip())
    named = dict.fromkeys(name for name in (driver, governor) if name)
    return ", ".join(named) or "unknown"


def _part(
    before: Mapping[str, int] | None, after: Mapping[str, int] | None, field: str
) -> float | None:
    if before is None or after is None:
        return None
    whole = sum(after.values()) - sum(before.values())
    return 100 * (after[field] - before[field]) / whole if whole else None


def _busy_pct(before: Mapping[str, int] | None, after: Mapping[str, int] | None) -> float | None:
    idle = _part(before, after, "idle")
    return None if idle is None else 100 - idle


def _moved(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else after - before


def _busiest(
    before: Mapping[int, int] | None, after: Mapping[int, int] | None, cpus: CpuSet, lasted_s: float
) -> float | None:
    if before is None or after is None:
        return None
    moved = (after[cpu] - before.get(cpu, 0) for cpu in cpus & after.keys())
    return max(moved, default=0) / lasted_s


def _interrupted_pct(
    before: Mapping[int, Mapping[str, int]] | None,
    after: Mapping[int, Mapping[str, int]] | None,
    cpus: CpuSet,
) -> float | None:
    if before is None or after is None:
        return None
    both = cpus & before.keys() & after.keys()
    spent = [
        sum(_part(before[cpu], after[cpu], field) or 0.0 for field in ("irq", "softirq"))
        for cpu in both
    ]
    return max(spent, default=None)
