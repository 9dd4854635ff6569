"""What trials/NNNN/trial.json holds: everything of one trial but its time series.

Schema history:
  1  first version
  2  point of a sweep; phases, status, void, profile, sizes; more in the summary's phases, since
     there is tpcc their counters, too; sizes_before; tasks, of those that search their
     attempts and least; storage, loading; placement
"""

from __future__ import annotations

from typing import Literal

from dyno.spec.changed import changed
from dyno.spec.data_check import DataCheck
from dyno.spec.events import Explain, LoadFault, StatementRun, Summary
from dyno.store.load_host import LoadHostRead
from dyno.store.part import Stored
from dyno.store.placement import Placed
from dyno.store.storage import Loading, Storage

TRIAL_SCHEMA = 2
# What may be missing on somebody else's server, by the names under which trials store it.
ERROR_LOG = "server error log"
THERE = ("server process", ERROR_LOG, "server variables", "server status")
NOT_OURS = "someone else runs the server, so its process and files can't be read from here"


class ServerRead(Stored):
    """The server that was measured, as it was found."""

    name: str
    product: str
    version: str
    fingerprint: str
    managed: bool = True


class Program(Stored):
    """What the server's program is made of, as its process showed it; None: not found there."""

    allocator: str | None = None
    c_library: str | None = None
    compiler: str | None = None


class ServerCost(Stored):
    """What the server process used between the trial's first and last statement."""

    cpu_user_s: float | None = None
    cpu_system_s: float | None = None
    read_bytes: int | None = None
    write_bytes: int | None = None
    rss_peak_bytes: int | None = None


class PhaseCost(Stored):
    """What the server process used between a phase's begin and end; switches are the host's."""

    cpu_user_s: float | None = None
    cpu_system_s: float | None = None
    read_bytes: int | None = None
    write_bytes: int | None = None
    context_switches: int | None = None

    @property
    def cpu_s(self) -> float | None:
        """CPU seconds in all; None where either part is missing."""
        if self.cpu_user_s is None or self.cpu_system_s is None:
            return None
        return self.cpu_user_s + self.cpu_system_s


class ProfileLine(Stored):
    """A function of the server and its share of the CPU samples; `object` is its file."""

    share_pct: float
    symbol: str
    object: str


class TableSize(Stored):
    """A table at the end of a trial. `data_bytes` and `index_bytes` are the server's figures,
    `file_bytes` is the length of its files, `disk_bytes` what they occupy; None where unknown.
    `collation` is the table's default, which names its character set, too.
    """

    table: str
    engine: str
    rows: int | None = None
    data_bytes: int | None = None
    index_bytes: int | None = None
    file_bytes: int | None = None
    disk_bytes: int | None = None
    collation: str | None = None


class Progress(Stored):
    """A sample of the progress that the server reports for a task, `t_s` after the task's start.

    `pct` is 0 to 100 of the work that `source` counts, `stage` the server's name for it.
    `rowlog_pct` and `rowlog_rows` are those of an online ALTER's log of concurrent changes.
    `waiting` sessions wait for what the task has locked, `waiting_for` in the server's words. None
    where the server reports nothing.
    """

    t_s: float
    pct: float | None = None
    stage: str | None = None
    rowlog_pct: float | None = None
    rowlog_rows: int | None = None
    source: str | None = None
    waiting: int | None = None
    waiting_for: str | None = None


# How a piece of SQL, or another task that was started, ended.
Outcome = Literal["ok", "failed", "timeout"]


class Attempt(Stored):
    """The SQL of a searching task at one `value` of the variable, as the server reports it.

    `failed` is an error that the server returned for the SQL; `elapsed_s` excludes undoing it.
    """

    value: int
    outcome: Outcome
    elapsed_s: float
    code: int | None = None
    message: str | None = None


class ProfilerCost(Stored):
    """How a profile was taken, over how many seconds, and the CPU time of perf in these; null where
    it couldn't be read.
    """

    samples: int
    hz: int
    seconds: float | None = None
    perf_cpu_s: float | None = None


class WaitsOfThreads(Stored):
    """What the `threads` that served connections did over `seconds` of the measured phase: CPU time
    and time in the run queue, summed; how many samples found one waiting, by what for.
    """

    threads: int
    seconds: float
    cpu_s: float
    run_queue_s: float
    states: dict[str, int] = {}


class TaskRun(Stored):
    """A task of a trial. One that failed is a finding: `code` and `message` are the server's.

    `start_s` is on the load's clock (`t_s` of its events), None if no load ran beside it.
    `status`: by how much the server's counters moved, where they did; `status_after`: where some of
    them stood at the end. `sizes_*` are [] if they couldn't be read. For a search: its `attempts`
    in order, and the `least` value at which one succeeded.
    """

    name: str
    start_s: float | None = None
    elapsed_s: float
    outcome: Outcome | Literal["not run"]
    code: int | None = None
    message: str | None = None
    progress: list[Progress] = []
    status: dict[str, int | float] = {}
    status_after: dict[str, int | float] = {}
    sizes_before: list[TableSize] = []
    sizes_after: list[TableSize] = []
    attempts: list[Attempt] = []
    least: int | None = None

    @property
    def never_failed(self) -> bool:
        """Whether a search only found that the lowest value works: the least may be lower still."""
        return self.least is not None and all(tried.outcome == "ok" for tried in self.attempts)

    @property
    def always_failed(self) -> bool:
        """Whether a search ended after its first attempt, since even the highest value failed."""
        return [tried.outcome for tried in self.attempts] == ["failed"]


class TelemetryCost(Stored):
    """What observing cost: the sampler's own CPU share and time per sample."""

    cpu_share_pct: float | None = None
    sample_ms_mean: float | None = None
    sample_ms_max: float | None = None
    unavailable: dict[str, str] = {}

    @classmethod
    def from_overhead(cls, overhead: object, unavailable: dict[str, str]) -> TelemetryCost:
        """From a sampler's `Overhead`, which has the same names among others."""
        cost = cls.model_validate(overhead, from_attributes=True)
        return changed(cost, unavailable=unavailable)


class Trial(Stored):
    """One trial. `status` failed means that it gives no figure, and `failure` says why; `void` says
    why one that ran to its end gives none either.

    `phases` is what the server's process used in each phase of a load, `status_by_phase` how far
    its status counters moved. `load_hosts`: those that made the load, if this host didn't.
    """

    number: int
    arm: str
    block: int
    position: int
    point: int = 0
    status: Literal["ok", "failed"]
    failure: str | None = None
    void: str | None = None
    started_unix_ms: int
    load_unix_ms: int | None = None
    duration_s: float
    steps: dict[str, float] = {}
    server: ServerRead | None = None
    statements: list[StatementRun] = []
    explains: list[Explain] = []
    faults: list[LoadFault] = []
    summary: Summary | None = None
    phases: dict[str, PhaseCost] = {}
    status_by_phase: dict[str, dict[str, int | float]] = {}
    profile: list[ProfileLine] = []
    profile_unavailable: str | None = None
    profiler: ProfilerCost | None = None
    waits: WaitsOfThreads | None = None
    waits_unavailable: str | None = None
    sizes: list[TableSize] = []
    data_checks: list[DataCheck] = []
    sizes_before: list[TableSize] = []
    storage: Storage | None = None
    loading: Loading | None = None
    tasks: list[TaskRun] = []
    server_cost: ServerCost = ServerCost()
    telemetry_cost: TelemetryCost = TelemetryCost()
    log: list[str] = []
    placement: Placed | None = None
    program: Program | None = None
    dynoload: str | None = None
    load_hosts: list[LoadHostRead] = []

    @property
    def is_good(self) -> bool:
        """Whether its figures count: it didn't fail and isn't void."""
        return self.status == "ok" and self.void is None

    @property
    def no_figure_reason(self) -> str:
        """Why its figures don't count, where it isn't good."""
        return self.failure or f"void: {self.void}"

    def latencies_ns(self, op: str, phase: str = "measure") -> list[int]:
        """Elapsed nanoseconds of each ok execution of an op in a phase."""
        return [
            s.elapsed_ns
            for s in self.statements
            if s.statement == op and s.phase == phase and s.outcome == "ok"
        ]
