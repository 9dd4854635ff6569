"""What findings say about a load: figures, series, latency, scaling, and more. None is never 0."""

from __future__ import annotations

from typing import Annotated

from dyno.analysis.part import BlockValue, FindingsPart, Keys, WithEstimates
from dyno.spec.metrics import MetricKey
from dyno.stats import Estimate


class PointRead(FindingsPart):
    """One level of the sweep; without `rate_per_s` the load was closed. `variant` is the script or
    the option's value that runs there, if the sweep is over those, and `group` its group.
    """

    index: int
    label: str
    connections: int
    rate_per_s: float | None = None
    variant: str = ""
    group: str = ""


class Figure(WithEstimates):
    """A metric of one op on one arm at one point, a value per block; `median` is that of the
    blocks.

    Its interval is Student's (95 %) of the mean of the logarithms over the blocks, transformed
    back: for reading this arm alone. Arms are compared in `Findings.compared`.
    """

    arm: str
    op: str
    point: int
    metric: MetricKey
    unit: str
    n: int
    median: Annotated[Estimate, Keys("median", "low", "high", ends_last=True)]
    min: float
    max: float
    blocks: list[BlockValue]


class SeriesRead(FindingsPart):
    """The measure phase of one trial, one entry per interval (1 s): t_s[i] is where it ends.

    `t_s` counts from the phase's beginning; `p95_ms` is that of the ok ops that ended in the
    interval, None if none did. What lies before `cut_s` is warm-up (MSER-5) and isn't part of the
    figures.
    """

    arm: str
    point: int
    block: int
    t_s: list[float]
    ops_per_s: list[float]
    p95_ms: list[float | None]
    cut_s: float


class LatencyRead(FindingsPart):
    """Latency by quantile, from the merged histograms of all good trials of an arm at a point.

    `points`: (quantile, ms), only quantiles that `count` ops support (100 beyond each); 1 is the
    largest latency seen.
    """

    arm: str
    op: str
    point: int
    count: int
    points: list[tuple[float, float]]


class StabilityRead(FindingsPart):
    """How evenly the load ran: medians over the trials of shares, sums of counts; None: unknown.

    `cv` is the coefficient of variation of the throughput per second. `worst_second_share` and
    `p1_second_share` are the worst second and the 1st percentile of seconds over their median.
    `stalls` counts those of the server: in `environment_stalls` the load host itself was late, and
    `unknown_stalls` can't be attributed. `stalled_share` of the time of all trials was spent in the
    server's; neither it nor the longest counts what the load host's lateness covers.
    `slowdowns`: 2 s and more at less than half of the usual throughput, apart from stalls.
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


class Usl(WithEstimates):
    """The Universal Scalability Law fitted to a sweep: X(N) = lambda N / (1 + sigma (N - 1) +
    kappa N (N - 1)).

    `n_star`, the peak of the curve, only where the sweep shows one. `residual_max` is the largest
    relative distance of a measured point from the curve.
    """

    lambda_ops_per_s: float
    sigma: float
    kappa: Annotated[Estimate, Keys("kappa", "kappa_low", "kappa_high")]
    n_star: float | None = None
    residual_max: float


class ScalingRead(FindingsPart):
    """Throughput over connections, for tpcc all new orders. `n95`: the fewest with 95 % of the
    peak; `usl` is None if it doesn't fit, or there are too few levels; `says` says which.
    """

    arm: str
    op: str
    peak_connections: int
    peak_ops_per_s: float
    n95: int | None = None
    usl: Usl | None = None
    says: str


class LoadHostSeen(FindingsPart):
    """A host that made the load. The way from it to the servers as it was before the blocks, in
    medians over them: a round trip, its p99, and what one TCP stream carried. `late_us`: how long
    after the agreed instant a trial may have begun there at worst.

    In medians over the trials: `cpu_busy_pct`, how busy all its CPUs were while it measured;
    `generator_cpu_pct`, with the load generator; `agent_cpu_share_pct`, what its agent took of one
    core. None is unknown.
    """

    name: str
    blocks: int
    round_trip_us: float | None = None
    round_trip_p99_us: float | None = None
    bytes_per_s: float | None = None
    late_us: float | None = None
    cpu_busy_pct: float | None = None
    generator_cpu_pct: float | None = None
    agent_cpu_share_pct: float | None = None


class GeneratorRead(FindingsPart):
    """How near the load generator was to being the limit: medians over the trials, void ones too.

    `cpu_share_pct`: its CPU time over that of the cores it was allowed to use. `headroom`: the
    bound at which a trial becomes void over what was seen (5 means a fifth of the bound); None if
    unknown.
    """

    arm: str
    point: int
    cpu_share_pct: float | None = None
    send_lag_p99_ms: float | None = None
    headroom: float | None = None
    void_trials: int = 0
