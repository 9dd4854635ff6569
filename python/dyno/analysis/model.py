"""Findings: what a run tells, as data, for every report and as findings.json.

Ratios are of the metric (numerator / denominator): of times and latencies below 1 is better, of
throughput above 1. Their interval is the repeated confidence interval of the run's stop rule; None
means that it can't be given yet. None never stands for 0.

Schema history of findings.json:
  1  first version
  2  metrics and points; figures, series, latency, stability, scaling, per_op, profiles, generator,
     engine_costs, sizes, tpcc, linkbench, tasks, storage
"""

from __future__ import annotations

from typing import Any, Literal

from dyno.analysis.linkbench_model import Linkbench
from dyno.analysis.part import Part
from dyno.analysis.storage_model import StorageRead
from dyno.analysis.tasks_model import Tasks
from dyno.analysis.tpcc_model import Tpcc
from dyno.spec.experiment import Published, Settings
from dyno.spec.metrics import MetricKey as MetricKey

FINDINGS_SCHEMA = 2

Verdict = Literal["reproduced", "direction only", "not reproduced", "inconclusive"]
State = Literal["different", "equivalent", "precise", "undecided"]
Check = Literal["ok", "warning", "failed", "unknown"]


class RunRead(Part):
    """The run that the findings are about."""

    id: str
    state: str
    reason: str
    blocks: int
    trials_ok: int
    trials_failed: int
    elapsed_s: float
    started: str
    dyno: str
    seed: int
    scale: float
    delta: float
    quick: bool
    repeat: str


class ArmRead(Part):
    """An arm: what was declared, and which server was found."""

    name: str
    baseline: bool
    server: str
    product: str
    version: str
    engine: str | None
    tmpdir: str
    settings: Settings
    session: Settings
    trials_ok: int
    failures: list[str]


class OpRead(Part):
    """An op of the workload."""

    name: str
    sql: str
    says: str | None


class BlockValue(Part):
    """A figure of one block."""

    block: int
    value: float


class Times(Part):
    """Elapsed seconds of one op on one arm, a value a block; typical is the median of blocks."""

    arm: str
    op: str
    n: int
    median_s: float
    min_s: float
    max_s: float
    rows: int | None
    blocks: list[BlockValue]


class Compared(Part):
    """A ratio of one metric at one point, with its interval; `sentence` says it in words.

    `point_label` is "" for statements at one point. `mde` is the smallest effect that would have
    been seen, as a fraction: 0.02 is 2 %.
    """

    numerator_arm: str
    numerator_op: str
    denominator_arm: str
    denominator_op: str
    metric: MetricKey = "time"
    point: int = 0
    point_label: str = ""
    primary: bool
    n: int
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None
    mean_ratio: float | None
    mean_low: float | None
    mean_high: float | None
    tail_driven: bool
    p: float | None
    holm_p: float | None
    mde: float | None
    state: State
    sentence: str
    blocks: list[BlockValue]


class ClaimRead(Part):
    """A claim and what became of it. `compared` indexes Findings.compared; a claim about a counter
    has `measured` instead.
    """

    says: str
    published: str | None
    asks: str
    expected: str
    low: float | None
    high: float | None
    verdict: Verdict
    why: str
    n: int
    compared: int | None
    measured: str | None = None
    needed_blocks: int | None


class Fairness(Part):
    """One check, in words, with what it rests on; `details` are lines for whoever doubts it."""

    name: str
    check: Check
    says: str
    details: list[str] = []


class Counters(Part):
    """Status counters and host figures beside one op on one arm: medians of the trials.

    `status` holds the session's deltas around the statement (server-wide ones where the session
    has none: Key_*, Aria_*); of a load the server's deltas over the measure phase, for one op, at
    the `point` where the arms differ most. `host` holds rates while it ran, None where it was too
    short to see.
    """

    arm: str
    op: str
    point: int = 0
    status: dict[str, float]
    host: dict[str, float | None]


class Moved(Part):
    """A counter that moved with a result, as a reason to look at: not a proof.

    Of a load the values are those of one op, at a point.
    """

    op: str
    point: int = 0
    arm: str
    baseline: str
    counter: str
    value: float
    baseline_value: float


class Explained(Part):
    """EXPLAIN of an op, for the arms on which it is the same."""

    op: str
    arms: list[str]
    columns: list[str]
    rows: list[list[str | None]]
    error: str | None


class Costs(Part):
    """What measuring cost: medians over trials; None where unavailable."""

    client_cpu_share_pct: float | None
    client_cpu_us_per_op: float | None
    telemetry_cpu_share_pct: float | None
    telemetry_sample_ms: float | None
    steps_s: dict[str, float]


class PointRead(Part):
    """One level of the sweep; without `rate_per_s` the load was closed."""

    index: int
    label: str
    connections: int
    rate_per_s: float | None = None


class Figure(Part):
    """A metric of one op on one arm at one point, a value a block; `median` is that of the blocks.

    `low` and `high` bound Student's interval (95 %) of the mean of the logarithms over the blocks,
    turned back: for reading this arm alone. Arms are compared in `Findings.compared`.
    """

    arm: str
    op: str
    point: int
    metric: MetricKey
    unit: str
    n: int
    median: float
    min: float
    max: float
    blocks: list[BlockValue]
    low: float | None = None
    high: float | None = None


class SeriesRead(Part):
    """The measure phase of one trial, an entry an interval (1 s), in step: t_s[i] is where it ends.

    `t_s` counts from the phase's beginning; `p95_ms` is that of the ok ops which ended in the
    interval, None where none did. What lies before `cut_s` is warm-up (MSER-5) and left out of the
    figures.
    """

    arm: str
    point: int
    block: int
    t_s: list[float]
    ops_per_s: list[float]
    p95_ms: list[float | None]
    cut_s: float


class LatencyRead(Part):
    """Latency by quantile, from the merged histograms of all good trials of an arm at a point.

    `points`: (quantile, ms), only quantiles that `count` ops carry (100 beyond each); 1 is the
    largest latency seen.
    """

    arm: str
    op: str
    point: int
    count: int
    points: list[tuple[float, float]]


class StabilityRead(Part):
    """How evenly the load ran: medians over the trials of shares, sums of counts; None: unknown.

    `cv` is the coefficient of variation of the throughput of seconds. `worst_second_share` and
    `p1_second_share` are the worst second and the 1st percentile of seconds over their median.
    `stalls` counts those of the server: in `environment_stalls` the load host itself was late, of
    `unknown_stalls` nobody knows whose they were. `stalled_share` of the time of all trials was
    spent in the server's; neither it nor the longest counts what the load host's lateness covers.
    `slowdowns`: 2 s and more at less than half of the usual, stalls apart.
    """

    arm: str
    point: int
    trials: int
    not_steady: int | None = None
    cv: float | None = None
    worst_second_share: float | None = None
    p1_second_share: float | None = None
    stalls: int | None = None
    stalled_share: float | None = None
    longest_stall_s: float | None = None
    environment_stalls: int | None = None
    unknown_stalls: int | None = None
    slowdowns: int | None = None


class Usl(Part):
    """The Universal Scalability Law fitted to a sweep: X(N) = lambda N / (1 + sigma (N - 1) +
    kappa N (N - 1)).

    `n_star`, the peak of the curve, only where the sweep shows one. `residual_max` is the largest
    relative distance of a measured point from the curve.
    """

    lambda_ops_per_s: float
    sigma: float
    kappa: float
    kappa_low: float | None = None
    kappa_high: float | None = None
    n_star: float | None = None
    residual_max: float


class ScalingRead(Part):
    """Throughput over connections, of tpcc all new orders. `n95`: the fewest with 95 % of the peak;
    `usl` is None where it doesn't fit, or there are too few levels; `says` tells which.
    """

    arm: str
    op: str
    peak_connections: int
    peak_ops_per_s: float
    n95: int | None = None
    usl: Usl | None = None
    says: str


class EngineCost(Part):
    """What of an op is the engine's, and what the server's without it: an arm over its floor.

    `quantity` is the time of an op, by statement or as connections over throughput, or the server's
    CPU time for it. `arm_us` and `floor_us` are medians of the blocks; `share` is 1 - floor / arm
    with the interval of the run's stop rule, None before the first look. Below 0 the floor took
    more.
    """

    arm: str
    floor: str
    op: str
    point: int
    quantity: Literal["time", "server_cpu"]
    n: int
    arm_us: float
    floor_us: float
    share: float | None
    share_low: float | None
    share_high: float | None


class SizeRead(Part):
    """The tables of an arm together, at the end of trials: medians over them, None where unknown.

    `bytes_per_row` is of what the files take on disk, or where they can't be told apart of what the
    server says (`by_files` is false), with the least and the most of all trials.
    """

    arm: str
    engines: list[str]
    trials: int
    rows: float
    data_bytes: float | None
    index_bytes: float | None
    disk_bytes: float | None
    by_files: bool
    bytes_per_row: float
    bytes_per_row_min: float
    bytes_per_row_max: float


class PerOp(Part):
    """What one op cost on one arm at one point: medians over trials, None where unknown.

    Keys, in order: server_cpu_us_per_op, client_cpu_us_per_op, context_switches_per_op (of the
    whole host), read_kb_per_op, written_kb_per_op (kB, 1000 bytes, of the server process),
    fsyncs_per_op, statements_per_op, bytes_sent_per_op, rows_read_per_op, retries_per_1000_ops.
    """

    arm: str
    point: int
    figures: dict[str, float | None]


class ProfileLine(Part):
    """A function and its share of the server's CPU samples."""

    share_pct: float
    symbol: str
    object: str


class ProfileRead(Part):
    """Where an arm's server spent its CPU time; without lines, `unavailable` says why."""

    arm: str
    lines: list[ProfileLine] = []
    unavailable: str | None = None


class GeneratorRead(Part):
    """How near the load generator was to being the limit: medians over the trials, void ones too.

    `cpu_share_pct`: its CPU time over the CPU time of all cores. `headroom`: the bound at which a
    trial becomes void over what was seen (5 means a fifth of the bound); None where unknown.
    """

    arm: str
    point: int
    cpu_share_pct: float | None = None
    send_lag_p99_ms: float | None = None
    headroom: float | None = None
    void_trials: int = 0


class Findings(Part):
    """All that a run tells. `times` is for statements, `figures` and what follows for loads."""

    name: str
    title: str
    question: str
    published: Published | None
    answer: list[str]
    run: RunRead
    arms: list[ArmRead]
    ops: list[OpRead]
    times: list[Times]
    compared: list[Compared]
    claims: list[ClaimRead]
    claims_left_out: list[str]
    fairness: list[Fairness]
    counters: list[Counters]
    moved: list[Moved]
    explained: list[Explained]
    costs: Costs
    limits: list[str]
    host: dict[str, Any]
    points: list[PointRead] = []
    figures: list[Figure] = []
    series: list[SeriesRead] = []
    latency: list[LatencyRead] = []
    stability: list[StabilityRead] = []
    scaling: list[ScalingRead] = []
    per_op: list[PerOp] = []
    engine_costs: list[EngineCost] = []
    sizes: list[SizeRead] = []
    storage: list[StorageRead] = []
    profiles: list[ProfileRead] = []
    generator: list[GeneratorRead] = []
    tpcc: Tpcc | None = None
    linkbench: Linkbench | None = None
    tasks: Tasks | None = None
