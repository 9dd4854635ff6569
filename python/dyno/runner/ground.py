"""The conditions of a trial: who runs on which CPUs, and whether these may sleep."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from dyno.cpus import CpuSet, format_cpus
from dyno.hosts.elsewhere import Elsewhere
from dyno.runner.awake import Awake, kept_awake
from dyno.runner.placement import sets_of
from dyno.spec.placement import FREE, SPLIT, Sets
from dyno.spec.protocol import Protocol
from dyno.store.placement import Placed, as_text
from dyno.telemetry import threads


@dataclass(frozen=True)
class Ground:
    """What a protocol declares, on this host. `sets` is None where the kernel chooses;
    `load_hosts`: the hosts that make the load of trials, if not this one.
    """

    sets: Sets | None = None
    awake: bool = False
    load_hosts: Elsewhere | None = None

    @classmethod
    def of(cls, protocol: Protocol, load_hosts: Elsewhere | None = None) -> Ground:
        """Raises SpecError if this host doesn't have the CPUs."""
        placement = protocol.placement
        # Nobody shares the server's cores.
        if placement == SPLIT and load_hosts is not None and load_hosts.is_apart:
            placement = FREE
        return cls(sets_of(placement), protocol.awake, load_hosts)

    @property
    def server(self) -> CpuSet | None:
        """The server's CPUs."""
        return self.sets.server if self.sets else None

    @property
    def generator(self) -> CpuSet | None:
        """The load generator's CPUs, and Dyno's own."""
        return self.sets.generator if self.sets else None

    @contextlib.contextmanager
    def held(self) -> Iterator[Held]:
        """While a load runs: Dyno stays off the server's CPUs, and CPUs stay awake if asked to."""
        with contextlib.ExitStack() as stack:
            if self.generator is not None:
                stack.enter_context(staying_on(self.generator))
            awake = None
            if self.awake:
                every = frozenset[int]().union(*self.sets) if self.sets else _allowed()
                awake = stack.enter_context(kept_awake(every))
            yield Held(self, awake)


@dataclass
class Held:
    """What is seen of these conditions while a load runs."""

    ground: Ground
    awake: Awake | None = None
    threads: dict[str, int] = field(default_factory=dict)
    elsewhere: list[str] = field(default_factory=list)

    def look_at(self, who: Literal["server", "generator"], pid: int | None) -> None:
        """Read back where the threads of a process may run; nothing if there is no set."""
        cpus = self.ground.server if who == "server" else self.ground.generator
        if cpus is None or pid is None:
            return
        found = threads(pid)
        self.threads[who] = len(found)
        lines = (
            f"{who}: thread {thread.name} may run on CPU {format_cpus(thread.allowed)}"
            for thread in found
            if not thread.allowed <= cpus
        )
        self.elsewhere += dict.fromkeys(lines)

    def read(self) -> Placed:
        """All that was seen so far, for the trial."""
        trips = self.awake.trips if self.awake else None
        return Placed(
            server=as_text(self.ground.server),
            generator=as_text(self.ground.generator),
            server_threads=self.threads.get("server"),
            generator_threads=self.threads.get("generator"),
            elsewhere=self.elsewhere,
            awake=self.awake.way if self.awake else None,
            awake_cpu_s=self.awake.cpu_s() if self.awake else None,
            asleep_us=trips.asleep_us if trips else None,
            looped_us=trips.looped_us if trips else None,
        )


def _allowed(pid: int | None = None) -> CpuSet:
    return frozenset(os.sched_getaffinity(pid or 0))


@contextlib.contextmanager
def staying_on(cpus: CpuSet, pid: int | None = None) -> Iterator[None]:
    """Keep all threads of a process (None: this one), and those that they start, on some CPUs."""
    before = _allowed(pid)
    _move(cpus, pid)
    try:
        yield
    finally:
        _move(before, pid)


def _move(cpus: CpuSet, pid: int | None) -> None:
    for task in Path(f"/proc/{pid or 'self'}/task").iterdir():
        # A thread may have ended meanwhile.
        with contextlib.suppress(ProcessLookupError):
            os.sched_setaffinity(int(task.name), cpus)
