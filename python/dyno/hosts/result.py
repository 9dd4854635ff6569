"""How a load ended, on one host or on several: all that dynoload said, and why it isn't whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from dyno.errors import LoadError
from dyno.hosts.watched import HostWatched
from dyno.spec.events import Event, EventLog, Hello, parse_event
from dyno.spec.summary import PhaseSummary

WRONG_PLAN = 2
REFUSED = 3
# In place of the exit code of a dynoload that nobody can ask.
LOST = -1


@dataclass(frozen=True)
class HostPart:
    """What one of several hosts measured: how long after the agreed instant it began, by its own
    clock, and by how much that clock may be wrong; None where nothing was agreed on. `watched`:
    what it saw of itself, None of the server's own host.
    """

    phase: PhaseSummary
    late_ns: int | None
    clock_bound_ns: float | None
    watched: HostWatched | None = None


@dataclass(frozen=True)
class LoadResult:
    """How dynoload ended, and all its output. `host`: which of several load hosts failed;
    `by_host`: what each of them has measured, by its name.
    """

    exit_code: int
    log: EventLog
    stderr: str
    host: str | None = None
    by_host: Mapping[str, HostPart] = field(default_factory=dict)

    @property
    def failure(self) -> str | None:
        """Why the load is not whole, in one line; None if it is."""
        if self.exit_code == 0 and self.log.summary is not None and self.log.summary.complete:
            return None
        fatal = [fault.message for fault in self.log.faults if fault.fatal]
        words = self.stderr.strip().splitlines()
        why = [*fatal[-1:], *words[:1], f"dynoload ended with exit code {self.exit_code}"][0]
        return why if self.host is None else f"{self.host}: {why}"

    @property
    def is_lost(self) -> bool:
        """Whether a host vanished: its load says nothing about the server."""
        return self.exit_code == LOST

    @property
    def refused(self) -> bool:
        """Whether the server refused something that the load needs: it was not lost."""
        return self.exit_code == REFUSED


def result_of(exit_code: int, stderr: str, log: EventLog, *, host: str | None = None) -> LoadResult:
    """How it ended. Raises LoadError if dynoload refused the plan: no plan would fare better."""
    result = LoadResult(exit_code, log, stderr, host)
    if exit_code == WRONG_PLAN:
        raise LoadError(
            f"dynoload refused its plan: {stderr.strip() or result.failure}",
            hint="if dyno and dynoload come from different versions, install them together",
        )
    return result


def events_in(lines: Iterable[bytes]) -> Iterator[Event]:
    """The events that dynoload wrote. Raises LoadError, also for a debug build."""
    for line in lines:
        event = parse_event(line.decode("utf-8", errors="replace"))
        if isinstance(event, Hello) and event.build != "release":
            raise LoadError(
                "this dynoload is a debug build, whose own cost would be measured",
                hint="build it with cargo build --release, or run make dev",
            )
        yield event
