"""Claims: published or own assertions with their bands. Their arms, ops and points are resolved in
`claims`, when the plan is made.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from dyno.spec.metrics import TASK_FIGURES, FigureKey, MetricKey, counter
from dyno.spec.point import At
from dyno.spec.strict import Line, Strict, mistake
from dyno.spec.subject import OfTrials, Ratio, Subject

# What differs by more than this isn't measured in one unit.
RATIO_MAX = 1e6


class Claim(Strict):
    """A published or own assertion with its band: about exactly one of `ratio_of`, `status` and
    `figure`, with exactly one of `expect`, `at_most`, `at_least` and `between`.

    Pairs that claims name are the primary comparisons: they decide when the run stops. Without
    claims these are all comparisons with the baseline, by the workload's first metric, and of tasks
    all times and least values. A claim about an arm, statement or level that a run leaves out is
    counted on the report, not judged.
    """

    says: Line = Field(description="The assertion in words.")
    op: Line | None = Field(
        None,
        description="The op, where `ratio_of` or `of` doesn't name one. Needless where the "
        "workload has one op.",
    )
    metric: MetricKey | None = Field(
        None,
        description="What of the two is compared: see [metrics](#metrics). Unless it is given it "
        "is the `time` of statements and the `throughput` of a load, but of tpcc "
        "`new_orders_per_min`, of linkbench and of several queries `total_throughput`, and of a "
        "task its `task_time` or, where it searches, its `task_least`.",
    )
    at: At | float | Line | None = Field(
        None,
        description="With a sweep: the level or the script that is meant; a table for what several "
        'points have, such as `{ group = "writes", connections = 1 }`, which makes a claim for '
        'each of them; or `"each"` for a claim at each point.',
    )
    ratio_of: tuple[Line, Line] | None = Field(
        None,
        description="The metric of the first over that of the second, each an arm with `op` beside "
        'it, or `"ARM @ OP"`, or `"ARM @ TASK"`.',
    )
    status: Line | None = Field(
        None,
        description='A status counter, such as `"Key_writes"`: every trial must be within the '
        "bounds, and `expect` doesn't apply.",
    )
    figure: FigureKey | None = Field(
        None,
        description="A figure of a task in each trial, besides its metrics: see "
        "[figures of a task](#figures-of-a-task). Every trial must be within the bounds; `failed` "
        "is 1 in a trial in which the task failed, else 0.",
    )
    of: Line | None = Field(
        None,
        description='With `status` `"ARM @ OP"` or `"ARM @ TASK"`, with `figure` `"ARM @ TASK"`.',
    )
    expect: float | None = Field(
        None,
        description="About this ratio: 0.5 where the first is half of the second. "
        "[Verdicts](../concepts/verdicts.md#bands) has examples.",
    )
    within: Annotated[float, Field(gt=0, lt=1)] = Field(
        0.20,
        description="With `expect`: how far off the *effect* may be, as a fraction of it. 0.2 "
        "with an expected 0.5 means 1.8 to 2.2 times the speed.",
    )
    at_most: float | None = Field(None, description="The upper edge, without a lower one.")
    at_least: float | None = Field(None, description="The lower edge, without an upper one.")
    between: tuple[float, float] | None = Field(None, description="Both edges, the lower first.")
    published: str | None = Field(
        None, description="The figures that the claim was made from, as printed."
    )

    @property
    def subject(self) -> Subject:
        """What it is about."""
        if self.ratio_of is not None:
            return Ratio(*self.ratio_of)
        figure = TASK_FIGURES[self.figure] if self.figure else counter(self.status or "")
        return OfTrials(figure, self.of or "")

    @model_validator(mode="after")
    def _one_subject_one_expectation(self) -> Claim:
        subjects = [key for key in ("ratio_of", "status", "figure") if getattr(self, key)]
        if len(subjects) != 1:
            raise ValueError(
                "a claim has exactly one of ratio_of, status, figure; "
                f"found {', '.join(subjects) or 'none'}"
            )
        if (self.ratio_of is None) != (self.of is not None):
            raise ValueError("of goes with status and figure, and with nothing else")
        given = [
            key
            for key in ("expect", "at_most", "at_least", "between")
            if getattr(self, key) is not None
        ]
        if len(given) != 1:
            raise ValueError(
                "a claim has exactly one of expect, at_most, at_least, between; "
                f"found {', '.join(given) or 'none'}"
            )
        if isinstance(self.subject, OfTrials) and self.expect is not None:
            raise ValueError(
                f"a claim about a {subjects[0]} is stated with at_most, at_least or between"
            )
        if isinstance(self.subject, OfTrials) and self.metric is not None:
            raise ValueError(f"a claim about a {subjects[0]} has no metric")
        return self

    @model_validator(mode="after")
    def _can_be_judged(self) -> Claim:
        if self.between is not None and self.between[0] >= self.between[1]:
            low, high = self.between
            raise mistake(
                f"between is {low:g} to {high:g}, which leaves nothing between",
                hint="write the lower bound first",
            )
        of_ratio = (self.expect, self.at_most, self.at_least, *(self.between or ()))
        for bound in of_ratio if isinstance(self.subject, Ratio) else ():
            if bound is not None and not 1 / RATIO_MAX <= bound <= RATIO_MAX:
                raise mistake(
                    f"a ratio of two quantities can't be {bound:g}",
                    hint="write 1 where they are equal, 2 for twice, 0.5 for half",
                )
        return self
