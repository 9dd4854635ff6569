"""Keeps CPUs from sleeping while a load runs: waking one costs tens of microseconds, which a load
over few connections pays with every op.

Nothing stays behind, whatever ends Dyno: the kernel drops the request when the file is closed, and
ends the loops with the process that started them.
"""

from __future__ import annotations

import contextlib
import functools
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from dyno.cpus import CpuSet
from dyno.launch import launch
from dyno.store.placement import Way
from dyno.telemetry import process_totals
from dyno.telemetry.round_trips import round_trips

# Loops are for hosts on which they shorten a round trip by at least this share.
GAIN_MIN = 0.05

_REQUEST = Path("/dev/cpu_dma_latency")
_DRIVER = Path("/sys/devices/system/cpu/cpuidle/current_driver")
_LOOP = Path(__file__).with_name("loop.py")


@dataclass(frozen=True)
class Trips:
    """The time of a round trip between two CPUs as they are, and with idle-class loops running."""

    asleep_us: float
    looped_us: float

    @property
    def gain(self) -> bool:
        """Whether loops are worth it."""
        return self.looped_us <= (1 - GAIN_MIN) * self.asleep_us


@dataclass(frozen=True)
class Awake:
    """How CPUs are kept awake: by "request", /dev/cpu_dma_latency held open with 0, which applies
    to all CPUs of the host; by "loops", one per CPU, which run only when nothing else wants to; or
    "not", if loops wouldn't shorten a round trip. `trips`: as measured before that choice.
    """

    way: Way
    loops: tuple[subprocess.Popen[bytes], ...] = ()
    trips: Trips | None = None

    def cpu_s(self) -> float | None:
        """The CPU time that the loops took so far; None if there are none."""
        totals = [process_totals(loop.pid) for loop in self.loops]
        times = [(total.cpu_user_s, total.cpu_system_s) for total in totals]
        used = [sum(filter(None, both)) for both in times if None not in both]
        return round(sum(used), 2) if used else None


@contextlib.contextmanager
def kept_awake(cpus: CpuSet) -> Iterator[Awake]:
    """Keep these CPUs awake: by request if the host respects it, else by loops if they help."""
    file = _request() if _heeds_requests() else None
    if file is not None:
        try:
            yield Awake("request")
        finally:
            os.close(file)
        return
    trips = trips_of(min(cpus), max(cpus))
    if trips is None or not trips.gain:
        yield Awake("not", trips=trips)
        return
    with looped(cpus) as loops:
        yield Awake("loops", loops, trips)


@contextlib.contextmanager
def looped(cpus: CpuSet) -> Iterator[tuple[subprocess.Popen[bytes], ...]]:
    """An idle-class loop on each of these CPUs."""
    with contextlib.ExitStack() as stack:
        loops = []
        for cpu in sorted(cpus):
            argv = [sys.executable, "-I", "-S", str(_LOOP)]
            loops.append(launch(argv, env={}, cpus=frozenset({cpu})))
            stack.callback(loops[-1].wait)
            stack.callback(loops[-1].kill)
        yield tuple(loops)


@functools.cache
def trips_of(first: int, second: int) -> Trips | None:
    """Measure once how loops affect a round trip, about a second; None on one CPU.

    A loop saves a CPU its wake-up, but an incoming byte then has to interrupt it: which takes
    longer differs from hypervisor to hypervisor.
    """
    if first == second:
        return None
    asleep, beside = [], []
    for _ in range(3):
        asleep.append(round_trips(first, second, seconds=0.1).median)
        with looped(frozenset({first, second})) as loops:
            _wait_until_idle_class(loops)
            beside.append(round_trips(first, second, seconds=0.1).median)
    return Trips(round(median(asleep), 1), round(median(beside), 1))


def _wait_until_idle_class(loops: Sequence[subprocess.Popen[bytes]]) -> None:
    end = time.monotonic() + 2
    while time.monotonic() < end:
        if all(os.sched_getscheduler(loop.pid) == os.SCHED_IDLE for loop in loops):
            return
        time.sleep(0.01)


def _heeds_requests() -> bool:
    """Whether the kernel itself chooses how deep a CPU sleeps; else a request has no effect."""
    try:
        return _DRIVER.read_text().strip() not in ("", "none")
    except OSError:
        return False


def _request() -> int | None:
    try:
        file = os.open(_REQUEST, os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        os.write(file, (0).to_bytes(4, sys.byteorder))
    except OSError:
        os.close(file)
        return None
    return file
