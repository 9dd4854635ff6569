"""The load generator's events, as read back from its output. The format's text is
docs/reference/load-plan.md. Reading asserts the accounting identity a second time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from dyno.errors import LoadError

EVENTS_SCHEMA = 1


class Event(BaseModel):
    """An event or a part of one. Unknown keys are kept out: both sides change together."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Hello(Event):
    """First event: who makes the load, and what it talks to."""

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
    """What the server said."""

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
    """A phase begins, ends or (load) goes on."""

    event: Literal["phase"]
    phase: str
    state: Literal["begin", "end", "progress"]
    t_s: float
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


class Interval(Event):
    """One fixed slice of a phase."""

    event: Literal["interval"]
    phase: str
    index: int
    t_s: float
    duration_s: float
    ops: list[IntervalOp]


class LoadFault(Event):
    """Something went wrong in the load generator or on its connections."""

    event: Literal["error"]
    scope: str
    message: str
    hint: str | None = None
    fatal: bool = False


class OpSummary(Event):
    """Latencies of one op kind and outcome over a phase, in nanoseconds."""

    op: str
    outcome: str
    count: int
    min_ns: int
    max_ns: int
    mean_ns: float
    p50_ns: int
    p95_ns: int
    p99_ns: int
    p999_ns: int
    histogram: str


class PhaseSummary(Event):
    """A phase's account: scheduled = ok + failed + skipped + unfinished, or it is refused."""

    phase: str
    elapsed_s: float
    scheduled: int
    ok: int
    failed: dict[str, int]
    skipped: int
    unfinished: int
    ops: list[OpSummary]

    @model_validator(mode="after")
    def _accounts(self) -> PhaseSummary:
        total = self.ok + sum(self.failed.values()) + self.skipped + self.unfinished
        if total != self.scheduled:
            raise ValueError(
                f"phase {self.phase}: {self.scheduled} ops scheduled, {total} accounted for"
            )
        return self


class Client(Event):
    """What the load generator itself cost."""

    cpu_user_s: float
    cpu_system_s: float
    max_rss_bytes: int
    bytes_sent: int
    bytes_received: int

    @property
    def cpu_s(self) -> float:
        """CPU seconds in all."""
        return self.cpu_user_s + self.cpu_system_s


class Summary(Event):
    """Last event."""

    event: Literal["summary"]
    complete: bool
    phases: list[PhaseSummary]
    client: Client


KINDS: dict[str, type[Event]] = {
    "hello": Hello,
    "settings": SettingsRead,
    "explain": Explain,
    "phase": PhaseMark,
    "statement": StatementRun,
    "interval": Interval,
    "error": LoadFault,
    "summary": Summary,
}


def parse_event(line: str) -> Event:
    """One line of dynoload's output. Raises LoadError with what was wrong."""
    try:
        document = json.loads(line)
        kind = KINDS[document["event"]]
        event = kind.model_validate(document)
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise LoadError(f"dynoload wrote a line that is no event: {line[:200]!r}") from error
    except ValidationError as error:
        raise LoadError(f"dynoload wrote a wrong {document['event']} event: {error}") from error
    if isinstance(event, Hello) and event.schema_ != EVENTS_SCHEMA:
        raise LoadError(
            f"dynoload writes events of schema {event.schema_}, expected {EVENTS_SCHEMA}",
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
            case LoadFault():
                self.faults.append(event)
            case Summary():
                self.summary = event
            case _:
                assert isinstance(event, PhaseMark), event


def read_events(lines: Iterable[str]) -> EventLog:
    """All lines of a run of dynoload; empty lines are passed over."""
    log = EventLog()
    for line in lines:
        if line.strip():
            log.add(parse_event(line))
    return log
