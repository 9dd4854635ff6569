"""Small measurements of how steady a host is: seconds each, without any server."""

from __future__ import annotations

import time

from dyno.telemetry.round_trips import Spread, on_cpus

_WORK = 200_000


def same_work(cpu: int, *, seconds: float = 1.0) -> Spread:
    """The same work over and over on one CPU: seconds per slice.

    Any scatter is due to the CPU: other programs, other guests, its frequency.
    """
    found = []
    with on_cpus({cpu}):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found.append(work_s())
    return Spread.of(found)


def work_s() -> float:
    """How long a slice of some 10 ms takes now, in seconds."""
    begun = time.perf_counter()
    total = 0
    for number in range(_WORK):
        total += number * number
    return time.perf_counter() - begun
