"""The load generator's events, as read back from its output. The format is described in
docs/reference/load-plan.md. Both schemas are read; what schema 1 lacked has a default.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import ValidationError, model_validator

from dyno.errors import LoadError
from dyno.spec.event import Event
from dyno.spec.explain import explain
from dyno.spec.summary import (
    Client,
    OpSummary,
    PhaseClient,
    PhaseSummary,
    SendLag,
    StatementCounts,
    Summary,
)

__all__ = [
    "EVENTS_SCHEMA",
    "Bin",
    "Client",
    "Event",
    "EventLog",
    "Explain",
    "Hello",
    "Interval",
    "IntervalOp",
    "LoadFault",
    "OpError",
    "OpSummary",
    "PhaseClient",
    "PhaseMark",
    "PhaseStatus",
    "PhaseSummary",
    "SearchResult",
    "SearchStep",
    "SendLag",
    "SettingsRead",
    "StatementCounts",
    "StatementRun",
    "Summary",
    "parse_event",
    "read_events",
]

EVENTS_SCHEMA = 2


class Hello(Event):
    """First event: which generator it is, and what it talks to."""

    event: Literal["hello"]
    schema_: int
    dynoload: str
    build: Literal["release", "debug"]
    pid: int
    unix_ms: int
    server_version: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _schema(cls, data: Any) -> Any:
        if isinstance(data, dict) and "schema" in data:
            data = {**data, "schema_": data["schema"]}
            del data["schema"]
        return data


class SettingsRead(Event):
    """The server's variables as the measuring connection sees them."""

    event: Literal["settings"]
    session: dict[str, str]
    global_: dict[str, str]

    @model_validator(mode="before")
    @classmethod
    def _global(cls, data: Any) -> Any:
        if isinstance(data, dict) and "global" in data:
            data = {**data, "global_": data["global"]}
            del data["global"]
        return data


class OpError(Event):
    """The server's error."""

    code: int
    sqlstate: str | None = None
    message: str


class Explain(Event):
    """EXPLAIN of one statement, or why there is none."""

    event: Literal["explain"]
    statement: str
    columns: list[str] = []
    rows: list[list[str | None]] = []
    error: OpError | None = None


class PhaseMark(Event):
    """A phase begins, ends or (load) goes on. `connect`: connections made, statements prepared.

    `ready`: it waits for the others; `late_ns`: how long after the agreed instant it began.
    """

    event: Literal["phase"]
    phase: str
    state: Literal["ready", "begin", "end", "progress"]
    t_s: float
    late_ns: int | None = None
    table: str | None = None
    rows: int | None = None
    rows_total: int | None = None


class StatementRun(Event):
    """One execution of one statement; times in nanoseconds, status as signed deltas."""

    event: Literal["statement"]
    phase: str
    round: int
    connection: int
    statement: str
    t_s: float
    elapsed_ns: int
    outcome: Literal["ok", "failed"]
    rows: int = 0
    bytes: int = 0
    checksum: str | None = None
    warnings: int = 0
    error: OpError | None = None
    session_status: dict[str, int | float] | None = None
    global_status: dict[str, int | float] | None = None


class IntervalOp(Event):
    """One op kind and outcome within an interval; the histogram is HDR V2 base64, nanoseconds."""

    op: str
    outcome: str
    count: int
    histogram: str


class Bin(Event):
    """100 ms of an interval: ops that ended, ok or failed, and how late the load host's own wake-up
    was (the longest delay; 0.0 is on time).
    """

    ended: int
    heartbeat_late_ms: float


class Interval(Event):
    """One fixed slice of a phase. `backlog`: ops due but not started at its end (open load)."""

    event: Literal["interval"]
    phase: str
    index: int
    t_s: float
    duration_s: float
    ops: list[IntervalOp]
    bins: list[Bin] = []
    retries: int = 0
    backlog: int | None = None


class PhaseStatus(Event):
    """What a phase changed in the server's global status: signed deltas."""

    event: Literal["status"]
    phase: str
    global_status: dict[str, int | float]


class SearchStep(Event):
    """A rate was tried; `held`: the objective was met. `quantile_ms` is None if no op ended."""

    event: Literal["search_step"]
    rate_per_s: float
    achieved_per_s: float
    quantile_ms: float | None = None
    error_share: float
    backlog_end: int
    held: bool
    confirming: bool = False


class SearchResult(Event):
    """The search ended: the highest rate that always held, and what limited it."""

    event: Literal["search_result"]
    rate_per_s: float | None = None
    limited_by: Literal["latency", "errors", "backlog", "rate_max", "rate_min"]


class LoadFault(Event):
    """Something went wrong in the load generator or on its connections."""

    event: Literal["error"]
    scope: str
    message: str
    hint: str | None = None
    fatal: bool = False


KINDS: dict[str, type[Event]] = {
    "hello": Hello,
    "settings": SettingsRead,
    "explain": Explain,
    "phase": PhaseMark,
    "statement": StatementRun,
    "interval": Interval,
    "status": PhaseStatus,
    "search_step": SearchStep,
    "search_result": SearchResult,
    "error": LoadFault,
    "summary": Summary,
}


def parse_event(line: str) -> Event:
    """One line of dynoload's output. Raises LoadError, which says what was wrong."""
    try:
        document = json.loads(line)
        kind = KINDS[document["event"]]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise LoadError(f"dynoload wrote a line that is not an event: {line[:200]!r}") from error
    try:
        event = kind.model_validate(document)
    except ValidationError as error:
        why, _ = explain(error, kind)
        raise LoadError(f"dynoload wrote a wrong {document['event']} event: {why}") from error
    if isinstance(event, Hello) and not 1 <= event.schema_ <= EVENTS_SCHEMA:
        raise LoadError(
            f"dynoload writes events of schema {event.schema_}, this Dyno reads up to "
            f"{EVENTS_SCHEMA}",
            hint="dyno and dynoload come from different versions; install them together",
        )
    return event


@dataclass
class EventLog:
    """All events of one run of dynoload, by kind."""

    hello: Hello | None = None
    settings: SettingsRead | None = None
    explains: list[Explain] = field(default_factory=list)
    statements: list[StatementRun] = field(default_factory=list)
    intervals: list[Interval] = field(default_factory=list)
    statuses: list[PhaseStatus] = field(default_factory=list)
    search_steps: list[SearchStep] = field(default_factory=list)
    search_result: SearchResult | None = None
    faults: list[LoadFault] = field(default_factory=list)
    summary: Summary | None = None

    def add(self, event: Event) -> None:
        """File one event."""
        match event:
            case Hello():
                self.hello = event
            case SettingsRead():
                self.settings = event
            case Explain():
                self.explains.append(event)
            case StatementRun():
                self.statements.append(event)
            case Interval():
                self.intervals.append(event)
            case PhaseStatus():
                self.statuses.append(event)
            case SearchStep():
                self.search_steps.append(event)
            case SearchResult():
                self.search_result = event
            case LoadFault():
                self.faults.append(event)
            case Summary():
                self.summary = event
            case _:
                assert isinstance(event, PhaseMark), event

    @property
    def status(self) -> dict[str, dict[str, int | float]]:
        """The deltas of the server's status by phase."""
        return {event.phase: event.global_status for event in self.statuses}


def read_events(lines: Iterable[str]) -> EventLog:
    """All lines of a run of dynoload; empty lines are skipped."""
    log = EventLog()
    for line in lines:
        if line.strip():
            log.add(parse_event(line))
    return log
