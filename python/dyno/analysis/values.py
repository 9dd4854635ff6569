"""Values of blocks or trials. Some may be missing: unknown ones are left out, never 0."""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import median
from typing import TypeVar

import numpy as np

from dyno.stats import Estimate, student_mean

Number = TypeVar("Number", int, float)
LEVEL_MISSED = 0.05
FEWEST_BLOCKS = 3


def median_of_known(values: Iterable[float | None]) -> float | None:
    """The median of the values that are there; None if there are none."""
    known = [value for value in values if value is not None]
    return median(known) if known else None


def greatest_of_known(values: Iterable[Number | None]) -> Number | None:
    """The greatest of the values that are there; None if there are none."""
    return max((value for value in values if value is not None), default=None)


def least_of_known(values: Iterable[Number | None]) -> Number | None:
    """The least of the values that are there; None if there are none."""
    return min((value for value in values if value is not None), default=None)


def over_blocks(values: list[float]) -> Estimate | None:
    """The median of the blocks, with Student's t of the mean logarithm, transformed back, from
    three blocks on. None without a block.
    """
    if not values:
        return None
    if len(values) < FEWEST_BLOCKS:
        return Estimate(median(values))
    mean = student_mean(np.log(values), p_star=LEVEL_MISSED).through(math.exp)
    return Estimate(median(values), mean.interval)
