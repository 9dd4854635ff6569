"""What findings of a run of `linkbench` add to those of any load. None never stands for 0.

What was asked for comes from the profile and the properties that the experiment changed.
"""

from __future__ import annotations

from typing import Annotated, Literal

from dyno.analysis.part import FindingsPart, Keys, WithEstimates
from dyno.stats import Estimate

DrawState = Literal["as asked", "not as asked", "too few", "only told"]


class LinkbenchOp(FindingsPart):
    """Response times of one kind of op, over the ok ops of all trials.

    `share` is of the ok ops of all kinds, `asked_share` what the profile says (None: unknown).
    A percentile is None if there are too few ops for it.
    """

    name: str
    count: int
    share: float
    asked_share: float | None = None
    mean_ms: float
    p50_ms: float | None = None
    p95_ms: float | None = None
    p99_ms: float | None = None
    p999_ms: float | None = None
    max_ms: float


class LinkbenchPoint(WithEstimates):
    """One arm at one point: rates and means are medians of the blocks, counts sums over `trials`.

    `ops_per_s` counts ok ops of all kinds; `range_size` is the mean number of rows of a list, which
    the original calls RANGE_SIZE, over `lists`, with Student's interval over the blocks;
    `at_limit_share` is the share of lists with 10,000 rows. Sizes are medians over the trials;
    `link_rows_per_id` counts hidden links, too, after the measuring.
    """

    arm: str
    point: int
    trials: int
    ops_per_s: float | None = None
    lists: int | None = None
    range_size: Annotated[
        Estimate | None, Keys("range_size", "range_size_low", "range_size_high")
    ] = None
    at_limit_share: float | None = None
    ops: list[LinkbenchOp]
    retries: dict[str, int]
    failed: dict[str, int]
    size_before_bytes: float | None = None
    size_after_bytes: float | None = None
    link_rows_per_id: float | None = None


class LinkbenchDraw(FindingsPart):
    """One figure of what the client asked; `point` None: all points together.

    `value` is a share, or with `is_mean` a mean, of `n`. `asked` is what it should be, or with
    `at_most` its limit; None: it is shown, not judged. "As asked" means that its interval
    `sure_low` to `sure_high` contains that. All judged intervals of an arm hold jointly at 99 %.
    """

    arm: str
    point: int | None
    figure: str
    is_mean: bool = False
    value: float | None
    n: int
    asked: float | None = None
    at_most: bool = False
    sure_low: float | None = None
    sure_high: float | None = None
    state: DrawState


class Linkbench(FindingsPart):
    """What a run of the workload shows; `deviations` from the original, in words."""

    profile: str
    ids: int
    first_id: int
    properties: dict[str, str]
    deviations: list[str]
    points: list[LinkbenchPoint]
    draws: list[LinkbenchDraw]
