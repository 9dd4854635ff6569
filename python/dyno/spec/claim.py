"""Claims: published or own assertions with their bands. Which arms, ops and points they are about
is looked up in `claims`, when the plan is made.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from dyno.spec.metrics import FigureKey, MetricKey
from dyno.spec.strict import Line, Strict, mistake

# What is further apart than this isn't measured in one unit.
RATIO_MAX = 1e6


class Claim(Strict):
    """A published or own assertion with its band.

    About a metric: `ratio_of` names two quantities, "ARM" with `op`, or "ARM @ OP"; `metric` is
    the time of statements, of a load its throughput (of tpcc new orders/min, of linkbench that of
    all ops) unless it is given; `at` names the level of a sweep, or "each". About what each trial
    must show: `of` with `status`, a counter, or with `figure`, of a task. Exactly one expectation:
    expect (with `within`, the part of the effect that it may be off), at_most, at_least or between.
    """

    says: Line
    op: Line | None = None
    metric: MetricKey | None = None
    at: float | Literal["each"] | None = None
    ratio_of: tuple[Line, Line] | None = None
    status: Line | None = None
    figure: FigureKey | None = None
    of: Line | None = None
    expect: float | None = None
    within: Annotated[float, Field(gt=0, lt=1)] = 0.20
    at_most: float | None = None
    at_least: float | None = None
    between: tuple[float, float] | None = None
    published: str | None = None

    @field_validator("at", mode="before")
    @classmethod
    def _level_or_each(cls, value: Any) -> Any:
        if isinstance(value, str) and value != "each":
            raise mistake(f"at is {value!r}", hint='write a level of the sweep, or "each"')
        return value

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
        if self.of is not None and self.expect is not None:
            raise ValueError(
                f"a claim about a {subjects[0]} is stated with at_most, at_least or between"
            )
        if self.of is not None and self.metric is not None:
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
        for bound in of_ratio if self.ratio_of is not None else ():
            if bound is not None and not 1 / RATIO_MAX <= bound <= RATIO_MAX:
                raise mistake(
                    f"a ratio of two quantities can't be {bound:g}",
                    hint="write 1 where they are equal, 2 for twice, 0.5 for half",
                )
        return self
