"""The effect of a wrong setting on this host, measured in a second or two."""

from __future__ import annotations

import mmap
import os
import time
from statistics import median

import numpy as np

from dyno.cpus import CpuSet
from dyno.host.probes import same_work, work_s
from dyno.runner.awake import looped
from dyno.telemetry.round_trips import on_cpus
from dyno.telemetry.topology import cores

_NAPS = 30
_NAP_S = 0.02
# More than the caches hold and a TLB with small pages covers.
_MEMORY_BYTES = 256 << 20
_READS = 1_000_000


def of_frequency() -> str:
    """How much slower a CPU is right after a sleep: what a governor that follows the load costs."""
    cpu = min(os.sched_getaffinity(0))
    with on_cpus({cpu}):
        warm = median(work_s() for _ in range(_NAPS))
        cold = []
        for _ in range(_NAPS):
            time.sleep(_NAP_S)
            cold.append(work_s())
    slower_pct = _slower_pct(cold, warm)
    return f"right after a sleep of {1000 * _NAP_S:.0f} ms a CPU is {slower_pct:.0f} % slower"


def of_siblings() -> str:
    """What the other CPUs of a core take from one of them."""
    for core in cores():
        cpu, *others = sorted(core.cpus)
        if others:
            slower_pct = slower_beside_pct(cpu, frozenset(others))
            return f"while the other CPU of its core works, a CPU is {slower_pct:.0f} % slower"
    return ""


def of_turbo() -> str:
    """What a CPU loses when all other cores work, too."""
    cpu, *others = (min(core.cpus) for core in cores())
    if not others:
        return ""
    slower_pct = slower_beside_pct(cpu, frozenset(others))
    return f"while all other cores work, a CPU is {slower_pct:.0f} % slower"


def of_huge_pages() -> str:
    """How much reads differ between memory that got huge pages and memory that didn't."""
    small = _reads_s(mmap.MADV_NOHUGEPAGE)
    huge = _reads_s(mmap.MADV_HUGEPAGE)
    return (
        f"reads here and there in {_MEMORY_BYTES >> 20} MiB take {100 * (1 - huge / small):.0f} % "
        "less time in huge pages, and the kernel decides which memory gets them"
    )


def slower_beside_pct(cpu: int, others: CpuSet) -> float:
    """How much slower a CPU is while others work; measured in a second."""
    alone = same_work(cpu, seconds=0.5).median
    with looped(others):
        beside = same_work(cpu, seconds=0.5).median
    return _slower_pct([beside], alone)


def _slower_pct(slices: list[float], usual: float) -> float:
    return max(0.0, 100 * (median(slices) / usual - 1))


def _reads_s(advice: int) -> float:
    memory = mmap.mmap(-1, _MEMORY_BYTES)
    memory.madvise(advice)
    numbers = np.frombuffer(memory, dtype=np.int64)
    numbers[:] = 1  # Pages exist only once they are written.
    places = np.random.default_rng(1).integers(0, len(numbers), _READS)
    found = []
    for _ in range(5):
        begun = time.perf_counter()
        numbers[places].sum()
        found.append(time.perf_counter() - begun)
    del numbers
    memory.close()
    return median(found)
