"""A load host as its driver reaches it: an actor of the engine on the host's own worker."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any

from distributed import Client, KilledWorker

from dyno.errors import DynoError, HostLostError, RunFailedError
from dyno.hosts.agent import Agent
from dyno.hosts.clock import Offset
from dyno.hosts.echo import EchoAddress
from dyno.hosts.generator import WrittenPlan
from dyno.hosts.here import HostRead
from dyno.hosts.lease import LEASE_S
from dyno.hosts.watched import HostWatched
from dyno.spec.load_plan import LoadPlan
from dyno.store.load_host import NetworkRead

RENEW_S = 1.0
ANSWER_S = 2.0
# What an agent does beyond an answer: it starts a program, or waits for the end of one.
WORK_S = 15.0
# A server host stops its servers first.
END_S = 30.0
# How long an agent that ended may take to be there again.
AGAIN_S = 20.0
POLL_S = 0.1
_GONE = (OSError, TimeoutError, CancelledError, KilledWorker)


def agents_seen(client: Client) -> set[str]:
    """The names of the hosts that have an agent; none once the scheduler has ended."""
    workers = client.scheduler_info(n_workers=-1).get("workers", {}).values()
    return {str(worker["name"]) for worker in workers}


@dataclass(frozen=True)
class _Joined:
    """An agent for as long as it answers. A caller that waits for a lost agent may notice the loss
    only after the next agent has joined; it must not mark that one as lost, too.
    """

    agent: Any
    over: threading.Event = field(default_factory=threading.Event)


class RemoteHost:
    """A load host, whose worker has its name. It runs one load after the other, and is `Running`.

    Raises HostLostError wherever it doesn't answer in time; other errors of its agent begin with
    its name.
    """

    def __init__(self, client: Client, name: str, echo: EchoAddress) -> None:
        """`echo`: where this process sends back what comes."""
        self.name = name
        self._client = client
        self._echo = echo
        # An agent that was here before may come back; one that never was counts as down.
        self._patience_s = 0.0
        self._is_held = False
        self._join()

    def begin(self, plan: LoadPlan, password: str | None) -> RemoteHost:
        """Start dynoload; a host that was lost is asked once more."""
        written = WrittenPlan.sent(plan)
        self._join_again()
        self._ask(WORK_S, lambda agent: agent.begin(written, password))
        return self

    def begin_blocks(self, name: str, files: Mapping[str, str]) -> None:
        """Start what runs the blocks of a run; a host that was lost is asked once more."""
        self._join_again()
        self._ask(WORK_S, lambda agent: agent.begin_blocks(name, files))

    def say(self, line: bytes) -> None:
        """Write a line to the input of what runs there."""
        self._ask(ANSWER_S, lambda agent: agent.say(line))

    def file(self, name: str) -> bytes:
        """A file of what runs there, whole."""
        parts = [b""]
        while part := self._ask(WORK_S, self._part(name, sum(map(len, parts)))):
            parts.append(part)
        return b"".join(parts)

    def _part(self, name: str, offset: int) -> Callable[[Any], Any]:
        return lambda agent: agent.read_file(name, offset)

    def read(self) -> HostRead:
        """What the host is."""
        found: HostRead = self._ask(WORK_S, lambda agent: agent.read())
        return found

    def measure_offset(self) -> Offset:
        """How far this host's clock is ahead of its own now."""
        found: Offset = self._ask(WORK_S, lambda agent: agent.measure_offset())
        return found

    def measure_network(self) -> NetworkRead:
        """The way from it to here now. Raises LoadError if it can't reach this host."""
        found = self._ask(WORK_S, lambda agent: agent.measure_network())
        return NetworkRead(**asdict(found))

    def rest(self, seconds: float) -> float:
        """Leave it alone; gives the CPU time that its agent took, per cent of one core."""
        found: float = self._ask(WORK_S + seconds, lambda agent: agent.rest(seconds))
        return found

    def hold(self) -> None:
        """Let no other run measure there until this one leaves it. Raises RunFailedError if one
        does, for longer than a driver that is gone could hold it.
        """
        self._is_held = True
        deadline = time.monotonic() + 2 * LEASE_S
        while True:
            try:
                self._ask(WORK_S, lambda agent: agent.hold())
            except RunFailedError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(POLL_S)
            else:
                return

    def hear(self, wait_s: float) -> list[bytes] | None:
        """Its lines since; None once it wrote all."""
        found: list[bytes] | None = self._ask(wait_s + ANSWER_S, lambda agent: agent.hear(wait_s))
        return found

    def go(self, at_ns: int) -> float:
        """Begin a phase at this instant of this process's clock; gives by how many nanoseconds its
        own may be wrong.
        """
        found: float = self._ask(ANSWER_S, lambda agent: agent.go(at_ns))
        return found

    def enough(self) -> None:
        """End the current phase."""
        self._ask(ANSWER_S, lambda agent: agent.enough())

    def ended(self) -> tuple[int, str]:
        """Wait for its end: its exit code and what it wrote to stderr."""
        found: tuple[int, str] = self._ask(WORK_S, lambda agent: agent.ended())
        return found

    def watched(self) -> HostWatched:
        """What it saw of itself while it made the load, which has ended."""
        found: HostWatched = self._ask(WORK_S, lambda agent: agent.watched())
        return found

    def end(self) -> None:
        """Stop the load, if it still runs; a lost host stops itself."""
        with suppress(HostLostError):
            self._ask(END_S, lambda agent: agent.end())

    def leave(self) -> None:
        """Need the host no more."""
        if not self._joined.over.is_set():
            with suppress(HostLostError):
                self._ask(END_S, lambda agent: agent.leave())
            self._joined.over.set()

    def _join_again(self) -> None:
        """If it was lost."""
        if self._joined.over.is_set():
            self._join()

    def _join(self) -> None:
        """Make its agent, once its worker is there."""
        deadline = time.monotonic() + self._patience_s
        while not self._is_seen():
            if time.monotonic() > deadline:
                raise _lost(self.name, "it has no agent")
            time.sleep(POLL_S)
        self._patience_s = AGAIN_S
        place = {"workers": [self.name], "allow_other_workers": False}
        agent = self._within(
            WORK_S, lambda: self._client.submit(Agent, self._echo, actor=True, pure=False, **place)
        )
        self._joined = _Joined(agent)
        threading.Thread(target=self._renew, args=(self._joined,), daemon=True).start()
        if self._is_held:
            self.hold()

    def _is_seen(self) -> bool:
        """Whether its worker is there. Raises HostLostError at once if the scheduler has ended:
        asking the client then takes 15 s.
        """
        if self._client.status != "running":
            raise _lost(self.name, "the scheduler has ended")
        return self.name in agents_seen(self._client)

    def _renew(self, joined: _Joined) -> None:
        while not joined.over.wait(RENEW_S):
            with suppress(HostLostError):
                if not self._ask(ANSWER_S, lambda agent: agent.renew(), of=joined):
                    joined.over.set()

    def _ask(self, seconds: float, ask: Callable[[Any], Any], *, of: _Joined | None = None) -> Any:
        """Its agent's answer. Raises HostLostError if none comes; that agent isn't asked again."""
        joined = of or self._joined
        if joined.over.is_set():
            raise _lost(self.name, "it stopped answering earlier")
        try:
            return self._within(seconds, lambda: ask(joined.agent))
        except HostLostError:
            joined.over.set()
            raise

    def _within(self, seconds: float, ask: Callable[[], Any]) -> Any:
        try:
            try:
                pending = ask()
            except RuntimeError as error:
                # The engine knows already that the worker is gone.
                raise OSError(str(error)) from error
            return pending.result(timeout=seconds)
        except DynoError as error:
            raise type(error)(f"{self.name}: {error.message}", hint=error.hint) from None
        except _GONE as error:
            raise _lost(self.name, str(error) or type(error).__name__) from error


def _lost(name: str, why: str) -> HostLostError:
    return HostLostError(f"{name} is lost: {why}", hint="is the machine up, and its agent running?")
