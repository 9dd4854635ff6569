"""The load generator's last event: each phase's account, latencies and cost.

Reading asserts the accounting identity a second time. None stands for what schema 1 lacked.
"""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from dyno.spec.event import Event


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


class StatementCounts(Event):
    """SQL statements answered: a result set counts as a read, changed rows as a write."""

    read: int
    write: int
    other: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.read + self.write + self.other


class SendLag(Event):
    """Open load: how late ops were started although they were due and a connection was free."""

    count: int
    p50_ns: int
    p99_ns: int
    max_ns: int


class PhaseClient(Event):
    """CPU seconds of the load generator in one phase."""

    cpu_user_s: float
    cpu_system_s: float

    @property
    def cpu_s(self) -> float:
        """CPU seconds in all."""
        return self.cpu_user_s + self.cpu_system_s


class PhaseSummary(Event):
    """A phase's account: scheduled = ok + failed + skipped + unfinished, or it is refused.

    `retries` counts restarted transactions by error code; such an op counts once. `counters` are
    the workload's own counts over the ok ops.
    """

    phase: str
    elapsed_s: float
    scheduled: int
    ok: int
    failed: dict[str, int]
    skipped: int
    unfinished: int
    ops: list[OpSummary]
    model: Literal["closed", "open"] = "closed"
    connections: int | None = None
    retries: dict[str, int] = {}
    counters: dict[str, int] = {}
    reconnects: int | None = None
    statements: StatementCounts | None = None
    send_lag: SendLag | None = None
    backlog_max: int | None = None
    drain_s: float | None = None
    client: PhaseClient | None = None

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

    def phase(self, name: str) -> PhaseSummary | None:
        """The phase of that name, if it began."""
        return next((phase for phase in self.phases if phase.phase == name), None)
