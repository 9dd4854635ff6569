"""An estimate with its interval: the one type for both, from here to the report.

The number of blocks it is based on is stored next to it, by its owner: there is an n before there
is an estimate, and one n applies to several.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Estimate:
    """A value and the ends of the interval around it, None if nothing bounds the value yet."""

    value: float
    interval: tuple[float, float] | None = None

    @property
    def bounds(self) -> tuple[float, float]:
        """The interval, or all numbers if there is none."""
        return self.interval or (-math.inf, math.inf)

    @property
    def half_width(self) -> float:
        """Half the width of the interval."""
        low, high = self.bounds
        return (high - low) / 2

    def through(self, function: Callable[[float], float]) -> Estimate:
        """The same estimate on another scale; `function` must be monotonic."""
        if self.interval is None:
            return Estimate(function(self.value))
        low, high = sorted(map(function, self.interval))
        return Estimate(function(self.value), (low, high))


def bounded(value: float, low: float | None, high: float | None) -> Estimate:
    """An estimate between ends that may be missing or infinite: without both it has no interval."""
    if low is None or high is None or math.isinf(low) or math.isinf(high):
        return Estimate(value)
    return Estimate(value, (low, high))
