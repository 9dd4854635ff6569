"""Of values of which some may be missing: what isn't known is left out, never 0."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median
from typing import TypeVar

Number = TypeVar("Number", int, float)


def median_of_known(values: Iterable[float | None]) -> float | None:
    """The median of the values that are there; None if there are none."""
    known = [value for value in values if value is not None]
    return median(known) if known else None


def greatest_of_known(values: Iterable[Number | None]) -> Number | None:
    """The greatest of the values that are there; None if there are none."""
    return max((value for value in values if value is not None), default=None)
