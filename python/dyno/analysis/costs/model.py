"""What findings say about costs: of measuring, of an op, of the engine. None never stands for 0."""

from __future__ import annotations

from typing import Annotated, Literal

from dyno.analysis.part import FindingsPart, Keys, WithEstimates
from dyno.stats import Estimate
from dyno.store.placement import Way


class Costs(FindingsPart):
    """What measuring cost: medians over trials; None where unavailable.

    `awake`: how CPUs were kept from sleeping, None if nobody asked; `awake_cpu_s` is the otherwise
    idle time that loops took. `asleep_us` and `looped_us`: a round trip between two CPUs without
    and with loops, if that was the deciding measurement.
    """

    client_cpu_share_pct: float | None
    client_cpu_us_per_op: float | None
    telemetry_cpu_share_pct: float | None
    telemetry_sample_ms: float | None
    profiler_cpu_share_pct: float | None = None
    awake: Way | None = None
    awake_cpu_s: float | None = None
    asleep_us: float | None = None
    looped_us: float | None = None
    steps_s: dict[str, float]


class Counters(FindingsPart):
    """Status counters and host figures of one op on one arm: medians of the trials.

    `status` holds the session's deltas around the statement (server-wide ones where the session
    has none: Key_*, Aria_*); for a load the server's deltas over the measure phase, per op, at
    the `point` where the arms differ most. `host` holds rates while it ran, None where it was too
    short to see.
    """

    arm: str
    op: str
    point: int = 0
    status: dict[str, float]
    host: dict[str, float | None]


class Moved(FindingsPart):
    """A counter that moved with a result: a possible cause to look at, not a proof.

    For a load the values are per op, at a point.
    """

    op: str
    point: int = 0
    arm: str
    baseline: str
    counter: str
    value: float
    baseline_value: float


class EngineCost(WithEstimates):
    """How much of an op is the engine's, and how much the server's without it: an arm over its
    floor.

    `quantity` is the time of an op, by statement or as connections over throughput, or the server's
    CPU time for it. `arm_us` and `floor_us` are medians of the blocks; `share` is 1 - floor / arm
    with the interval of the run's stop rule, None before the first look. If it is below 0, the
    floor took more.
    """

    arm: str
    floor: str
    op: str
    point: int
    quantity: Literal["time", "server_cpu"]
    n: int
    arm_us: float
    floor_us: float
    share: Annotated[Estimate | None, Keys("share", "share_low", "share_high")]


class PerOp(FindingsPart):
    """What one op cost on one arm at one point: medians over trials, None where unknown.

    Keys, in order: server_cpu_us_per_op, client_cpu_us_per_op, context_switches_per_op (of the
    whole host), read_kb_per_op, written_kb_per_op (kB, 1000 bytes, of the server process),
    fsyncs_per_op, statements_per_op, bytes_sent_per_op, rows_read_per_op, retries_per_1000_ops.
    """

    arm: str
    point: int
    figures: dict[str, float | None]


class CostChange(WithEstimates):
    """How many times the baseline's a cost of an op is on an arm, at a point.

    `cost` is a key of `PerOp.figures`; `ratio` has the interval of the run's stop rule, and is None
    before the first look. `n` counts blocks.
    """

    arm: str
    baseline: str
    point: int
    cost: str
    n: int
    ratio: Annotated[Estimate | None, Keys("ratio", "ratio_low", "ratio_high")]


class ProfileLine(FindingsPart):
    """A function and its share of the server's CPU samples."""

    share_pct: float
    symbol: str
    object: str


class ProfileRead(FindingsPart):
    """Where an arm's server spent its CPU time; without lines, `unavailable` says why."""

    arm: str
    lines: list[ProfileLine] = []
    unavailable: str | None = None
