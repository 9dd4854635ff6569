"""One load from several hosts: a plan for each, begun at one instant, heard as if it were one."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from typing import Protocol

from dyno.errors import HostLostError
from dyno.hosts.generator import LoadResult
from dyno.hosts.merge import merged
from dyno.hosts.together import Together
from dyno.spec.events import Event, EventLog, parse_event
from dyno.spec.load_plan import LoadPlan

# How long a phase is announced before it begins: the line must have arrived everywhere.
AHEAD_NS = 200_000_000
HEAR_S = 0.25
# In place of the exit code of a dynoload that nobody can ask.
LOST = -1


class LoadHost(Protocol):
    """Where a dynoload runs: this host or another."""

    @property
    def name(self) -> str:
        """What the user calls it."""

    def begin(self, plan: LoadPlan, password: str | None) -> None:
        """Start it."""

    def hear(self, wait_s: float) -> list[bytes] | None:
        """Its lines since, after waiting for them this long at most; None once it wrote all."""

    def go(self, at_ns: int) -> None:
        """Begin the phase that it is ready for at this instant of this host's CLOCK_MONOTONIC."""

    def enough(self) -> None:
        """End the current phase as if its time were over."""

    def ended(self) -> tuple[int, str]:
        """Wait for its end: its exit code and what it wrote to stderr."""

    def end(self) -> None:
        """Stop it, if it still runs."""


Heard = tuple[int, list[Event] | Exception | None]


class Group:
    """Load hosts that make one load together."""

    def __init__(self, plans: Mapping[str, LoadPlan], hosts: Sequence[LoadHost]) -> None:
        """`plans` by the hosts' names, as `split` made them of one plan."""
        self._plans = plans
        self._hosts = hosts
        self._heard: queue.SimpleQueue[Heard] = queue.SimpleQueue()
        self._over = threading.Event()

    def run(
        self,
        *,
        password: str | None,
        on_event: Callable[[Event], None],
        look: Callable[[], None],
    ) -> LoadResult:
        """Run the load to its end. `on_event` gets what all hosts did, as of one; `look` is called
        now and then, and may raise. If a host fails, the others are stopped.
        """
        with ExitStack() as stack:
            for host in self._hosts:
                stack.callback(host.end)
                host.begin(self._plans[host.name], password)
            stack.callback(self._over.set)
            for at in range(len(self._hosts)):
                threading.Thread(target=self._listen, args=(at,), daemon=True).start()
            return self._file(on_event, look)

    def enough(self) -> None:
        """End the current phase everywhere."""
        for host in self._hosts:
            host.enough()

    def _listen(self, at: int) -> None:
        """Pass on what a host says, from a thread of its own."""
        try:
            while not self._over.is_set():
                lines = self._hosts[at].hear(HEAR_S)
                if lines is None:
                    break
                events = [parse_event(line.decode("utf-8", errors="replace")) for line in lines]
                self._heard.put((at, events))
            self._heard.put((at, None))
        except Exception as error:
            self._heard.put((at, error))

    def _file(self, on_event: Callable[[Event], None], look: Callable[[], None]) -> LoadResult:
        together = Together(len(self._hosts), on_event)
        logs = [EventLog() for _ in self._hosts]
        running = set(range(len(self._hosts)))
        while running:
            look()
            with suppress(queue.Empty):
                at, heard = self._heard.get(timeout=HEAR_S)
                if isinstance(heard, HostLostError):
                    return LoadResult(LOST, logs[at], heard.message)
                if isinstance(heard, Exception):
                    raise heard
                if heard is None:
                    running.discard(at)
                    result = self._result(at, logs[at])
                    if result.failure is not None:
                        return result
                for event in heard or ():
                    logs[at].add(event)
                    if together.add(at, event):
                        self._go()
        log = merged(logs)
        if log.summary is not None:
            on_event(log.summary)
        return LoadResult(0, log, "")

    def _go(self) -> None:
        at_ns = time.monotonic_ns() + AHEAD_NS
        for host in self._hosts:
            host.go(at_ns)

    def _result(self, at: int, log: EventLog) -> LoadResult:
        code, words = self._hosts[at].ended()
        return LoadResult(code, log, words, host=self._hosts[at].name)
