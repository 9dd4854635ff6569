"""Stalls and slowdowns of a load, from the ops that ended in each tenth of a second.

A stall is time in which hardly anything ended although something should have: under 10 % of what
was expected, merged across gaps under 300 ms, at least 500 ms long. Expected is the rate of
arrivals if the load was open, else the median of 30 s around. The load host answers for the part
of a stall that its own late wake-ups cover, and for no more; the rest is the server's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
import numpy.typing as npt

from dyno.stats.rank import Floats

BIN_S = 0.1
STALL_SHARE = 0.10
STALL_S = 0.5
GAP_S = 0.3
SLOW_SHARE = 0.50
SLOW_S = 2.0
MEDIAN_S = 30.0
LATE_MS = 50.0
FEWEST_EXPECTED = 5.0

Mask = npt.NDArray[np.bool_]


Owner = Literal["server", "host", "unknown"]


@dataclass(frozen=True, kw_only=True)
class Stall:
    """A span from the phase's beginning, in seconds. In `host_s` of it the load host itself was
    late; `unknown_s` of it can't be attributed. `least_s`: a shorter span doesn't count.
    """

    start_s: float
    end_s: float
    host_s: float = 0.0
    unknown_s: float = 0.0
    least_s: float = STALL_S

    @property
    def duration_s(self) -> float:
        """How long it lasted."""
        return self.end_s - self.start_s

    @property
    def server_s(self) -> float:
        """The part in which the load host was on time."""
        return round(max(0.0, self.duration_s - self.host_s - self.unknown_s), 3)

    @property
    def owner(self) -> Owner:
        """Whose it is: the server's, or the host's if its part alone is long enough."""
        if self.server_s >= self.least_s:
            return "server"
        return "host" if self.host_s >= self.least_s else "unknown"


@dataclass(frozen=True, kw_only=True)
class Stalls:
    """All stalls and slowdowns of a phase of `watched_s`."""

    stalls: tuple[Stall, ...]
    slowdowns: tuple[Stall, ...]
    watched_s: float


@dataclass(frozen=True, kw_only=True)
class Evenness:
    """How even the throughput per second is: shares of the mean (cv) and of the median."""

    cv: float
    worst_share: float
    p1_share: float


def find_stalls(
    ended: npt.ArrayLike,
    *,
    expected: float | None = None,
    late_ms: npt.ArrayLike | None = None,
) -> Stalls | None:
    """Stalls in the ops that ended by bin of 100 ms, shape (bins,).

    `expected`: ops per bin by the plan of an open load; None for a closed one. `late_ms`: how late
    the load host's wake-up was, by bin; where it is NaN or missing, nobody knows whose a stall is.
    None if fewer than 5 ops per bin are expected (then an empty bin means nothing), and for less
    than a second.
    """
    counts = np.asarray(ended, dtype=np.float64)
    if len(counts) < _bins(1.0) or not counts.any():
        return None
    yardstick = _rolling_median(counts) if expected is None else np.full(len(counts), expected)
    if float(np.median(yardstick)) < FEWEST_EXPECTED:
        return None
    host = _host(len(counts), late_ms)
    stalled = _merged(counts < STALL_SHARE * yardstick, gap_bins=_bins(GAP_S))
    stalls = tuple(_spans(stalled, host, STALL_S))
    for stall in stalls:  # A stall isn't also a slowdown, nor are the bins at its edges.
        edge = _bins(1.0) // 2
        stalled[max(0, _bins(stall.start_s) - edge) : _bins(stall.end_s) + edge] = True
    slow = (_moving_second(counts) < SLOW_SHARE * _moving_second(yardstick)) & ~stalled
    return Stalls(
        stalls=stalls,
        slowdowns=tuple(_spans(slow, host, SLOW_S)),
        watched_s=len(counts) * BIN_S,
    )


def evenness(per_second: npt.ArrayLike) -> Evenness | None:
    """CV, worst second over the median, 1st percentile of seconds over the median.

    None for fewer than 2 seconds, or if nothing ended in half of them.
    """
    values = np.asarray(per_second, dtype=np.float64)
    median = float(np.median(values)) if len(values) else 0.0
    if len(values) < 2 or median <= 0:
        return None
    return Evenness(
        cv=float(np.std(values, ddof=1) / np.mean(values)),
        worst_share=float(np.min(values)) / median,
        p1_share=float(np.quantile(values, 0.01)) / median,
    )


def _bins(duration_s: float) -> int:
    return round(duration_s / BIN_S)


def _rolling_median(counts: Floats) -> Floats:
    """Median of the bins within 15 s around each second in which anything ended.

    Empty bins are left out; otherwise a stall of half a minute would lower its own yardstick to 0.
    """
    shown = np.where(counts > 0, counts, np.nan)
    half, second = _bins(MEDIAN_S) // 2, _bins(1.0)
    padded = np.pad(shown, half, constant_values=np.nan)
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * half + 1)[second // 2 :: second]
    found = np.full(len(windows), float(np.nanmedian(shown)))
    filled = ~np.isnan(windows).all(axis=1)
    found[filled] = np.nanmedian(windows[filled], axis=1)
    by_bin: Floats = np.repeat(found, second)[: len(counts)]
    return np.pad(by_bin, (0, len(counts) - len(by_bin)), mode="edge")


def _moving_second(counts: Floats) -> Floats:
    """Sums over the second around each bin; shorter at both ends."""
    width = _bins(1.0)
    sums: Floats = np.convolve(counts, np.ones(width), mode="full")[width // 2 :][: len(counts)]
    return sums


@dataclass(frozen=True)
class _Host:
    """The bins over which the load host was late, and those where that is unknown."""

    late: Mask
    unknown: Mask


def _host(bins: int, late_ms: npt.ArrayLike | None) -> _Host:
    """By bin; a late wake-up is seen only once it is over, and covers the bins before it."""
    late, unknown = np.zeros(bins, dtype=bool), np.ones(bins, dtype=bool)
    if late_ms is None:
        return _Host(late, unknown)
    each = np.asarray(late_ms, dtype=np.float64)[:bins]
    unknown[: len(each)] = np.isnan(each)
    for i, value in enumerate(each.tolist()):
        if value > LATE_MS:
            late[max(0, i - math.ceil(value / 1000 / BIN_S)) : i + 1] = True
    return _Host(late, unknown & ~late)


def _merged(mask: Mask, *, gap_bins: int) -> Mask:
    """The mask with gaps of fewer than `gap_bins` between two set spans filled."""
    filled = mask.copy()
    edges = list(_edges(mask))
    for (_, end), (start, _) in pairwise(edges):
        if start - end < gap_bins:
            filled[end:start] = True
    return filled


def _edges(mask: Mask) -> list[tuple[int, int]]:
    """First bin and the bin after the last of every set span."""
    steps = np.diff(np.concatenate(([0], mask.astype(np.int8), [0])))
    starts, ends = np.flatnonzero(steps == 1), np.flatnonzero(steps == -1)
    return list(zip(starts.tolist(), ends.tolist(), strict=True))


def _spans(mask: Mask, host: _Host, least_s: float) -> list[Stall]:
    def seconds(bins: Mask) -> float:
        return round(int(bins.sum()) * BIN_S, 3)

    return [
        Stall(
            start_s=round(start * BIN_S, 3),
            end_s=round(end * BIN_S, 3),
            host_s=seconds(host.late[start:end]),
            unknown_s=seconds(host.unknown[start:end]),
            least_s=least_s,
        )
        for start, end in _edges(mask)
        if end - start >= _bins(least_s)
    ]
