"""What findings say about comparisons and claims.

Ratios are of the metric (numerator / denominator): for times and latencies below 1 is better, for
throughput above 1. Their interval is the repeated confidence interval of the run's stop rule; None
means that it can't be given yet.
"""

from __future__ import annotations

from typing import Annotated, Literal

from dyno.analysis.part import BlockValue, FindingsPart, Keys, WithEstimates
from dyno.spec.metrics import MetricKey
from dyno.stats import Estimate

Verdict = Literal["reproduced", "direction only", "not reproduced", "inconclusive"]
State = Literal["different", "equivalent", "precise", "undecided"]


class SpreadRead(FindingsPart):
    """How much a block's ratio varies, as standard deviations (fractions of it): `block` in all,
    `within` what a longer trial averages out, `between` what only more blocks do. `says` is what
    would bring the interval to the target, `by` the same in one word.
    """

    block: float
    within: float | None
    between: float | None
    by: str
    says: str


class Compared(WithEstimates):
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
    ratio: Annotated[Estimate | None, Keys("ratio", "ratio_low", "ratio_high")]
    mean: Annotated[Estimate | None, Keys("mean_ratio", "mean_low", "mean_high")]
    tail_driven: bool
    p: float | None
    holm_p: float | None
    mde: float | None
    state: State
    sentence: str
    spread: SpreadRead | None = None
    blocks: list[BlockValue]


class SetRatio(WithEstimates):
    """What one set of a pool of hosts says: the median ratio of its blocks, with Student's t of the
    mean logarithm from three blocks on. `compared` indexes Findings.compared.
    """

    compared: int
    set: str
    n: int
    ratio: Annotated[Estimate, Keys("ratio", "ratio_low", "ratio_high")]


class ControlRead(FindingsPart):
    """The control arm over the baseline, of which it is a second copy. `alarms` indexes those of
    `compared` that differed, judged as one family.
    """

    arm: str
    of: str
    compared: list[Compared]
    alarms: list[int]


class ClaimRead(FindingsPart):
    """A claim and its verdict. `compared` indexes Findings.compared; a claim about a counter has
    `measured` instead.
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
