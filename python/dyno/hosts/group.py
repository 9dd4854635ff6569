"""One load from several hosts: a plan for each, begun at one instant, heard as if it were one."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Protocol

from dyno.errors import HostLostError
from dyno.hosts.merge import merged
from dyno.hosts.result import LOST, HostPart, LoadResult, events_in, result_of
from dyno.hosts.together import Together
from dyno.hosts.watched import HostWatched
from dyno.spec.events import Event, EventLog, PhaseMark
from dyno.spec.load_plan import LoadPlan

# How long a phase is announced before it begins, and how much longer for each host: all compare
# their clocks with the driver's meanwhile, and the line must have arrived everywhere.
AHEAD_NS = 300_000_000
AHEAD_PER_HOST_NS = 15_000_000
HEAR_S = 0.25


class Running(Protocol):
    """A dynoload, on this host or on another, that runs a plan: a Generator, or what reaches one.

    All but `end` raise HostLostError if its host doesn't answer.
    """

    def hear(self, wait_s: float) -> list[bytes] | None:
        """Its lines since, after waiting for them this long at most; None once it wrote all."""

    def go(self, at_ns: int) -> float:
        """Begin the phase that it is ready for at this instant of this host's CLOCK_MONOTONIC;
        gives by how many nanoseconds its own clock may be wrong.
        """

    def enough(self) -> None:
        """End the current phase as if its time were over."""

    def ended(self) -> tuple[int, str]:
        """Wait for its end: its exit code and what it wrote to stderr."""

    def watched(self) -> HostWatched | None:
        """What its host saw of itself meanwhile, once it has ended; None if others watch it."""

    def end(self) -> None:
        """Stop it, if it still runs."""


# Starts one on a plan, with a password if the plan needs one.
Begin = Callable[[LoadPlan, str | None], Running]
Heard = list[Event] | Exception | None


class Group:
    """Load hosts that make one load together, by their names."""

    def __init__(self, plans: Mapping[str, LoadPlan], begin: Mapping[str, Begin]) -> None:
        """`plans`: one for each host, as `split` made them of one plan; `begin`: how it starts."""
        self._plans = plans
        self._begin = begin
        self._running: dict[str, Running] = {}
        self._heard: queue.SimpleQueue[tuple[str, Heard]] = queue.SimpleQueue()
        self._over = threading.Event()
        self._late_ns: dict[str, int] = {}
        self._clock_bound_ns: dict[str, float] = {}
        self._watched: dict[str, HostWatched | None] = {}

    def run(
        self,
        *,
        password: str | None,
        on_event: Callable[[Event], None],
        look: Callable[[], None],
    ) -> LoadResult:
        """Run the load to its end. `on_event` gets what all hosts did, as of one; `look` is called
        now and then, and may raise. If a host fails, the others are stopped.

        Raises LoadError as `run_load` does.
        """
        try:
            with ExitStack() as stack:
                for name, plan in self._plans.items():
                    self._running[name] = self._begin[name](plan, password)
                    stack.callback(self._running[name].end)
                stack.callback(self._over.set)
                for name in self._running:
                    threading.Thread(target=self._listen, args=(name,), daemon=True).start()
                return self._file(on_event, look)
        except HostLostError as error:
            return LoadResult(LOST, EventLog(), error.message)

    def enough(self) -> None:
        """End the current phase everywhere."""
        for running in self._running.values():
            running.enough()

    def _listen(self, name: str) -> None:
        """Pass on what a host says, from a thread of its own."""
        try:
            while not self._over.is_set():
                lines = self._running[name].hear(HEAR_S)
                self._heard.put((name, None if lines is None else list(events_in(lines))))
                if lines is None:
                    return
        except Exception as error:
            self._heard.put((name, error))

    def _file(self, on_event: Callable[[Event], None], look: Callable[[], None]) -> LoadResult:
        logs = {name: EventLog() for name in self._running}
        together = Together(list(logs), on_event)
        left = set(logs)
        while left:
            look()
            name, heard = self._next()
            if isinstance(heard, Exception):
                raise heard
            if heard is None:
                left.discard(name)
                result = result_of(*self._running[name].ended(), logs[name], host=name)
                if result.failure is not None:
                    return result
                self._watched[name] = self._running[name].watched()
            for event in heard or ():
                logs[name].add(event)
                self._look_at(name, event)
                if together.add(name, event):
                    self._go()
        log = merged(list(logs.values()))
        assert log.summary is not None
        on_event(log.summary)
        return LoadResult(0, log, "", by_host=self._measured(logs))

    def _next(self) -> tuple[str, Heard]:
        """A host's name and what it said; any host's name and [] if none says anything in time."""
        try:
            return self._heard.get(timeout=HEAR_S)
        except queue.Empty:
            return next(iter(self._running)), []

    def _go(self) -> None:
        at_ns = time.monotonic_ns() + AHEAD_NS + AHEAD_PER_HOST_NS * len(self._running)
        with ThreadPoolExecutor(len(self._running)) as pool:
            bounds_ns = pool.map(lambda running: running.go(at_ns), self._running.values())
            self._clock_bound_ns = dict(zip(self._running, bounds_ns, strict=True))

    def _look_at(self, name: str, event: Event) -> None:
        """Keep how late a host began to measure."""
        match event:
            case PhaseMark(phase="measure", state="begin", late_ns=int(late_ns)):
                self._late_ns[name] = late_ns

    def _measured(self, logs: Mapping[str, EventLog]) -> dict[str, HostPart]:
        """What each host measured; none for a plan without such a phase."""
        found = {}
        for name, log in logs.items():
            phase = log.summary.phase("measure") if log.summary is not None else None
            if phase is not None:
                bound_ns = self._clock_bound_ns.get(name)
                found[name] = HostPart(
                    phase, self._late_ns.get(name), bound_ns, self._watched[name]
                )
        return found
