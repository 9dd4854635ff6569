"""Histograms of latencies, as dynoload writes them: decoded, merged, asked for quantiles.

Percentiles are never averaged: histograms are added, and the sum is asked.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from hdrh.histogram import HdrHistogram

Counts = npt.NDArray[np.int64]

# dynoload's histograms: from 1 ns on, three significant digits. 2048 values stand for themselves,
# after which each doubling has 1024 buckets.
LOWEST_NS, DIGITS = 1, 3
_EXACT = 2048
_HALF = _EXACT // 2


@dataclass(frozen=True)
class Histogram:
    """Occupied buckets, ascending, and how many values each holds. May be empty."""

    buckets: Counts
    counts: Counts

    @property
    def count(self) -> int:
        """How many values there are."""
        return int(self.counts.sum())

    def count_within(self, limit_ms: float) -> int:
        """How many values are surely at most that large: those of whole buckets."""
        within = _upper_ends_ns(self.buckets) <= limit_ms * 1e6
        return int(self.counts[within].sum())

    def quantiles_ms(self, quantiles: Iterable[float]) -> list[float]:
        """The value that the share q of all values doesn't exceed: the upper end of its bucket, up
        to 0.1 % too high. Raises ValueError for an empty histogram.
        """
        if not len(self.counts):
            raise ValueError("an empty histogram has no quantile")
        upto = np.cumsum(self.counts)
        wanted = [max(1, math.ceil(q * int(upto[-1]) - 1e-9)) for q in quantiles]
        places = np.searchsorted(upto, wanted)
        return [value / 1e6 for value in _upper_ends_ns(self.buckets[places]).tolist()]


def decode(text: str) -> Histogram:
    """A histogram from its V2 compressed base64 text. Raises ValueError for one of another shape
    than dynoload's.
    """
    found = HdrHistogram.decode(text.encode())
    if (found.lowest_trackable_value, found.significant_figures) != (LOWEST_NS, DIGITS):
        raise ValueError("a histogram with other buckets than dynoload's")
    counts = np.frombuffer(found.encoder.payload.counts, dtype=np.uint64)
    buckets = np.flatnonzero(counts)
    return Histogram(buckets=buckets, counts=counts[buckets].astype(np.int64))


def merged(texts: Iterable[str]) -> Histogram:
    """The sum of histograms; empty for none."""
    parts = [decode(text) for text in texts]
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return Histogram(buckets=np.empty(0, np.int64), counts=np.empty(0, np.int64))
    buckets, place = np.unique(np.concatenate([p.buckets for p in parts]), return_inverse=True)
    counts = np.zeros(len(buckets), dtype=np.int64)
    np.add.at(counts, place, np.concatenate([p.counts for p in parts]))
    return Histogram(buckets=buckets, counts=counts)


def _upper_ends_ns(buckets: Counts) -> Counts:
    """The largest value that counts in each bucket, in nanoseconds."""
    doublings = np.maximum(buckets // _HALF - 1, 0)
    within = buckets - doublings * _HALF
    ends: Counts = ((within + 1) << doublings) - 1
    return ends
