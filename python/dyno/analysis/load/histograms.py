"""Histograms of latencies, as dynoload writes them: decoded, merged, queried for quantiles.

Percentiles are never averaged: histograms are added up, and the sum is queried.
"""

from __future__ import annotations

import base64
import math
import struct
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from hdrh.codec import HdrCookieException, HdrLengthException
from hdrh.histogram import HdrHistogram

from dyno.errors import StoreError
from dyno.spec.words import shortened
from dyno.store.reading import damaged
from dyno.store.run import RunFolder

Counts = npt.NDArray[np.int64]

# dynoload's histograms: from 1 ns on, three significant digits. 2048 values stand for themselves,
# after which each doubling has 1024 buckets.
LOWEST_NS, DIGITS = 1, 3
_EXACT = 2048
_HALF = _EXACT // 2

# Before the compressed part: a cookie and a length.
_COOKIE_BYTES = 8
# In the header, after its cookie, length and offset: the digits and the lowest value.
_HEADER = struct.Struct(">12xIQ")
# All buckets up to 2**63 ns, each with the longest count.
PAYLOAD_MOST_BYTES = 1024**2


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
        """How many values are certainly at most that large: those in whole buckets."""
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


class DamagedHistogramError(StoreError):
    """A text that isn't a histogram written by dynoload."""

    def __init__(self, text: str) -> None:
        super().__init__(f"no histogram: {shortened(text, 60)!r}")
        self.text = text


@contextmanager
def naming_damage(folder: RunFolder) -> Iterator[None]:
    """Name the damaged histogram's file in the folder."""
    try:
        yield
    except DamagedHistogramError as error:
        path = folder.holder_of(error.text) or folder.path
        raise damaged(path, error.message) from error


def decode(text: str) -> Histogram:
    """A histogram from its V2 compressed base64 text. Raises DamagedHistogramError for any other
    text, and for a histogram whose shape isn't dynoload's.
    """
    try:
        _require_ours(text)
        found = HdrHistogram.decode(text.encode())
    except (ValueError, IndexError, zlib.error, HdrCookieException, HdrLengthException) as error:
        raise DamagedHistogramError(text) from error
    counts = np.frombuffer(found.encoder.payload.counts, dtype=np.uint64)
    buckets = np.flatnonzero(counts)
    return Histogram(buckets=buckets, counts=counts[buckets].astype(np.int64))


def _require_ours(text: str) -> None:
    """Raise ValueError or zlib.error for what the library would need too much memory for."""
    content = base64.b64decode(text, validate=True)
    whole = zlib.decompressobj().decompress(content[_COOKIE_BYTES:], PAYLOAD_MOST_BYTES + 1)
    if not _HEADER.size <= len(whole) <= PAYLOAD_MOST_BYTES:
        raise ValueError("too short or too long")
    digits, lowest = _HEADER.unpack_from(whole)
    if (lowest, digits) != (LOWEST_NS, DIGITS):
        raise ValueError("a histogram with other buckets than dynoload's")


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
