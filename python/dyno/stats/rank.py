"""The signed-rank statistic: its exact null distribution, p-value, estimate and interval.

Everything here follows from the Walsh averages (d_i + d_j) / 2, i <= j, of n block contrasts: their
median is the Hodges-Lehmann estimate, the number of positive ones is the statistic W+ (Tukey), and
their order statistics bound the interval that inverts the test (Hollander, Wolfe & Chicken,
"Nonparametric Statistical Methods", sections 3.1 to 3.3). One look at one set of contrasts; what
repeated looks cost is in `boundary`.

Zeros and ties. A Walsh average of exactly 0 (a contrast of 0, or two of equal size and opposite
sign) counts against whichever side is being tested: it is a member of both tails. Why that is safe:
add to every |d_i| an independent and vanishing amount, with a coin for the sign of the zeros. The
contrasts are then free of ties and their W+ has the exact null distribution; no strictly positive
or negative average has changed its sign; so the tail counted here holds the tail of the untied
sample, and p can only be larger. Without ties the two agree. The same rule makes the closed
interval leave out 0 exactly where p <= p*.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from dyno.stats.estimate import Estimate, bounded

Floats = npt.NDArray[np.float64]

MAX_BLOCKS = 500
"""Most contrasts that are taken at once; 2^-500 is still far from the smallest double."""

_SLACK = 1e-9
"""Relative slack when a p-value is held against p*, so that the last bit never decides."""


@dataclass(frozen=True, kw_only=True)
class SignedRank:
    """Estimate, closed interval and two-sided p of the centre of the contrasts.

    Units are those of the contrasts (log ratios throughout Dyno). There is no interval where n is
    too small for the level: with n contrasts the smallest two-sided p is 2^(1-n).
    """

    estimate: Estimate
    p: float


@dataclass(frozen=True, kw_only=True)
class SignedRankRows:
    """As `SignedRank`, for many samples at once: each array has shape (samples,). The bounds are
    infinite if there is no interval.
    """

    estimate: Floats
    low: Floats
    high: Floats
    p: Floats


@lru_cache(maxsize=MAX_BLOCKS)
def null_cdf(n: int) -> Floats:
    """P(W+ <= w) for w = 0 ... n(n+1)/2 under random signs, without ties; read-only, cached.

    Convolution over the ranks: rank k joins W+ with probability 1/2. It only halves and adds
    positive numbers, so it is exact up to n = 53 and to a few last bits above.
    """
    if not 1 <= n <= MAX_BLOCKS:
        raise ValueError(f"the null distribution is kept for 1 to {MAX_BLOCKS} blocks, not {n}")
    mass = np.zeros(n * (n + 1) // 2 + 1)
    mass[0] = 1.0
    for rank in range(1, n + 1):
        shifted = mass[:-rank].copy()
        mass[rank:] += shifted
        mass *= 0.5
    cdf = np.minimum(np.cumsum(mass), 1.0)
    cdf.setflags(write=False)
    return cdf


def two_sided_p(n: int, smaller_tail: npt.NDArray[np.int64]) -> Floats:
    """Exact two-sided p; `smaller_tail` is the smaller of W+ and W-: min(1, 2 P(W+ <= it))."""
    return np.minimum(1.0, 2.0 * null_cdf(n)[smaller_tail])


def critical_value(n: int, p_star: float) -> int:
    """Largest w whose two-sided p is at most p*, or -1 if n is too small to reach p*."""
    return int(np.searchsorted(2.0 * null_cdf(n), p_star * (1 + _SLACK), side="right")) - 1


def attained_level(n: int, p_star: float) -> float:
    """The largest two-sided p at n that is at most p*: the true size of the test; 0.0 if none."""
    w = critical_value(n, p_star)
    return 2.0 * float(null_cdf(n)[w]) if w >= 0 else 0.0


def _sorted_walsh_sums(contrasts: Floats) -> Floats:
    """Sums d_i + d_j, i <= j, ascending along the last axis: (samples, n) to (samples, n(n+1)/2).

    Sums, not averages: a sum of doubles is 0 only if it is exactly 0, but a half may underflow.
    """
    i, j = np.triu_indices(contrasts.shape[1])
    return np.sort(contrasts[:, i] + contrasts[:, j], axis=1)


def _checked(contrasts: npt.ArrayLike, *, dimensions: int, most: int | None = MAX_BLOCKS) -> Floats:
    values = np.asarray(contrasts, dtype=np.float64)
    if values.ndim != dimensions or values.shape[-1] == 0:
        raise ValueError(f"expected contrasts in {dimensions} dimension(s), got {values.shape}")
    if most is not None and values.shape[-1] > most:
        raise ValueError(f"at most {most} blocks, got {values.shape[-1]}")
    if not np.isfinite(values).all():
        raise ValueError("contrasts must be finite: a block without a value is left out whole")
    return values


def signed_rank_rows(contrasts: npt.ArrayLike, *, p_star: float) -> SignedRankRows:
    """Judge many samples of equal size at once, each row by itself.

    `contrasts` has shape (samples, n), in log ratios; `p_star` is 1 minus the interval's level.
    Raises ValueError for no contrast, for more than `MAX_BLOCKS`, and for any that isn't finite.
    """
    values = _checked(contrasts, dimensions=2)
    n = values.shape[1]
    sums = _sorted_walsh_sums(values)
    not_positive = np.count_nonzero(sums <= 0, axis=1)
    not_negative = np.count_nonzero(sums >= 0, axis=1)
    # With ties both may pass the centre; a tail can't be longer than the whole.
    w = critical_value(n, p_star)
    unbounded = np.full(len(values), np.inf)
    return SignedRankRows(
        estimate=np.median(sums, axis=1) / 2,
        low=sums[:, w] / 2 if w >= 0 else -unbounded,
        high=sums[:, -1 - w] / 2 if w >= 0 else unbounded,
        p=two_sided_p(n, np.minimum(not_positive, not_negative)),
    )


def signed_rank(contrasts: npt.ArrayLike, *, p_star: float) -> SignedRank:
    """Estimate, interval at level 1 - p* and exact p of one sample of shape (n,).

    Negating the contrasts (swapping the arms) negates the estimate and swaps the negated bounds, to
    the last bit. Raises ValueError like `signed_rank_rows`.
    """
    rows = signed_rank_rows(_checked(contrasts, dimensions=1)[np.newaxis], p_star=p_star)
    return SignedRank(
        estimate=bounded(float(rows.estimate[0]), float(rows.low[0]), float(rows.high[0])),
        p=float(rows.p[0]),
    )


def hodges_lehmann(contrasts: npt.ArrayLike) -> float:
    """The median of the Walsh averages, in units of the contrasts; of any number of them."""
    values = _checked(contrasts, dimensions=1, most=None)
    return float(np.median(_sorted_walsh_sums(values[np.newaxis]))) / 2


def p_value(contrasts: npt.ArrayLike) -> float:
    """Exact two-sided signed-rank p of one look, never smaller than 2^(1-n)."""
    return signed_rank(contrasts, p_star=1.0).p
