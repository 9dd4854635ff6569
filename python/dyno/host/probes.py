"""Small measurements of how steady a host is: seconds each, and nothing of a server in them."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median, stdev
from typing import NoReturn

_ROUND_TRIPS = 200
_WORK = 200_000


@dataclass(frozen=True)
class Spread:
    """Slices of the same thing: their median, how far they scatter, and the worst, both in per cent
    of the median. `n` slices.
    """

    median: float
    sd_pct: float
    worst_pct: float
    n: int


def same_work(cpu: int, *, seconds: float = 1.0) -> Spread:
    """The same work over and over on one CPU: seconds a slice.

    What scatters is the CPU: other programs, other guests, its frequency.
    """
    found = []
    with on_cpus({cpu}):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            begun = time.perf_counter()
            _work()
            found.append(time.perf_counter() - begun)
    return _spread(found)


def round_trips(first: int, second: int, *, seconds: float = 1.0) -> Spread:
    """A byte there and back between processes on two CPUs: microseconds a round trip.

    Both sleep while they wait, as server and client do.
    """
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        ours.close()
        _echo(theirs, second)
    theirs.close()
    found = []
    try:
        with on_cpus({first}):
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                begun = time.perf_counter()
                for _ in range(_ROUND_TRIPS):
                    ours.send(b"x")
                    ours.recv(1)
                found.append(1e6 * (time.perf_counter() - begun) / _ROUND_TRIPS)
    finally:
        ours.close()
        os.waitpid(child, 0)
    return _spread(found)


@contextmanager
def on_cpus(cpus: set[int]) -> Iterator[None]:
    """This thread on some CPUs."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def over(seconds: float, read: Callable[[], dict[str, float]]) -> dict[str, float]:
    """How far counters move in a time."""
    before = read()
    time.sleep(seconds)
    after = read()
    return {name: after[name] - before[name] for name in after if name in before}


def _echo(end: socket.socket, cpu: int) -> NoReturn:
    """In a process of its own, which ends when the other one does."""
    try:
        os.sched_setaffinity(0, {cpu})
        while byte := end.recv(1):
            end.send(byte)
    finally:
        os._exit(0)


def _work() -> int:
    total = 0
    for number in range(_WORK):
        total += number * number
    return total


def _spread(found: list[float]) -> Spread:
    middle = median(found)
    scatter = stdev(found) / middle if len(found) > 1 else 0.0
    return Spread(middle, 100 * scatter, 100 * (max(found) / middle - 1), len(found))
