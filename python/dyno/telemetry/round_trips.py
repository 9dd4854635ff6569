"""How long a byte takes back and forth between two CPUs: what small loads pay with every op."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median, stdev

_ROUND_TRIPS = 200
_ECHO = Path(__file__).with_name("echo.py")


@dataclass(frozen=True)
class Spread:
    """Slices of the same thing: their median, their scatter, and the worst, the latter two in per
    cent of the median. `n` slices.
    """

    median: float
    sd_pct: float
    worst_pct: float
    n: int

    @classmethod
    def of(cls, slices: list[float]) -> Spread:
        """From one slice or more."""
        middle = median(slices)
        scatter = stdev(slices) / middle if len(slices) > 1 else 0.0
        return cls(middle, 100 * scatter, 100 * (max(slices) / middle - 1), len(slices))


def round_trips(first: int, second: int, *, seconds: float = 1.0) -> Spread:
    """A byte back and forth between processes on two CPUs: microseconds per round trip.

    Both sleep while they wait, as server and client do.
    """
    ours, theirs = socket.socketpair()
    argv = [sys.executable, "-I", "-S", str(_ECHO), str(second)]
    with theirs:
        echo = subprocess.Popen(argv, stdin=theirs.fileno(), stderr=subprocess.DEVNULL)
    found: list[float] = []
    # It ends with its input, whatever ends us: we close our end before we wait for it.
    with echo, ours, on_cpus({first}):
        _there_and_back(ours)
        end = time.monotonic() + seconds
        while not found or time.monotonic() < end:
            begun = time.perf_counter()
            for _ in range(_ROUND_TRIPS):
                _there_and_back(ours)
            found.append(1e6 * (time.perf_counter() - begun) / _ROUND_TRIPS)
    return Spread.of(found)


def _there_and_back(end: socket.socket) -> None:
    end.send(b"x")
    if not end.recv(1):
        raise OSError("the other end of a round trip is gone")


@contextmanager
def on_cpus(cpus: set[int]) -> Iterator[None]:
    """Run this thread on some CPUs."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
