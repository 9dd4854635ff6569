"""What a plan measures and compares: turns, quantities, ratios, and resolved claims."""

from __future__ import annotations

from typing import Any

from pydantic import model_validator

from dyno.spec.claim import Claim
from dyno.spec.metrics import MetricKey
from dyno.spec.strict import Strict


class Turn(Strict):
    """Whose turn it is in a block: an arm at a point. Plans of schema 1 have the arm's name."""

    arm: str
    point: int = 0

    @model_validator(mode="before")
    @classmethod
    def _name_alone(cls, data: Any) -> Any:
        return {"arm": data} if isinstance(data, str) else data


class Quantity(Strict):
    """A metric of one op on one arm at one point."""

    arm: str
    op: str
    point: int = 0
    metric: MetricKey = "time"


class Comparison(Strict):
    """A ratio of two quantities that the run estimates; primary ones decide when it may stop."""

    numerator: Quantity
    denominator: Quantity
    primary: bool = False

    @property
    def metric(self) -> MetricKey:
        """The metric of both."""
        return self.numerator.metric

    @property
    def point(self) -> int:
        """The point of both."""
        return self.numerator.point


class PlannedClaim(Strict):
    """A claim with its quantities resolved; exactly one of comparison and quantity is set.

    `at_label` names the point if the run has several.
    """

    claim: Claim
    comparison: int | None = None
    quantity: Quantity | None = None
    at_label: str = ""

    @property
    def judged_by(self) -> int | Quantity:
        """The index of its comparison in the plan, or the quantity that each trial must show."""
        if self.quantity is not None:
            return self.quantity
        assert self.comparison is not None
        return self.comparison

    @model_validator(mode="after")
    def _one_of_both(self) -> PlannedClaim:
        if (self.comparison is None) == (self.quantity is None):
            raise ValueError("a planned claim has either a comparison or a quantity")
        return self
