"""Quantiles of a histogram, as far as its count supports them. Knows no format."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from dyno.analysis.load.latency import QUANTILES
from dyno.analysis.measures import carries


def quantiles_of(histogram: Mapping[float, int]) -> Iterator[tuple[float, float]]:
    """(quantile, value) of counts by value: the least value that the share q doesn't exceed."""
    total = sum(histogram.values())
    for quantile in QUANTILES:
        if total and carries(total, quantile):
            yield quantile, _at(histogram, math.ceil(quantile * total - 1e-9))


def _at(histogram: Mapping[float, int], place: int) -> float:
    upto = 0
    for value in sorted(histogram):
        upto += histogram[value]
        if upto >= place:
            return value
    return max(histogram)
