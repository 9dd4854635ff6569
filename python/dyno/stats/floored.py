"""Student's t with a variance that counting noise bounds from below.

For differences that are counted from samples. With 8 blocks a rank test can't go below p = .0078,
and among 150 functions that finds nothing. A plain t can, but of many small functions some show
nearly no spread in 8 blocks by chance, and those come out as certain. How much counting alone must
spread them is known, so the variance never goes below that, and is drawn towards it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dyno.stats.distributions import chi_square_exceeded, student_below, student_quantile
from dyno.stats.estimate import Estimate, bounded
from dyno.stats.rank import Floats

LEVEL_MISSED = 0.05
BEYOND = 0.01
"""A spread that counting alone exceeds this seldom isn't counting alone."""

PRIOR_DF = 4
"""How many degrees of freedom the counting noise is worth against a part's own spread. Fixed, so
that a part's result doesn't depend on which other parts there are."""


@dataclass(frozen=True, kw_only=True)
class FlooredRows:
    """The result of each part, shape (parts,): mean over the blocks, interval, two-sided p."""

    mean: Floats
    low: Floats
    high: Floats
    p: Floats

    def estimate(self, part: int, scale: float = 1.0) -> Estimate:
        """The mean of one part and its interval, times `scale` (above 0)."""
        low, high = float(self.low[part]) * scale, float(self.high[part]) * scale
        return bounded(float(self.mean[part]) * scale, low, high)

    def covers_zero(self, part: int) -> bool:
        """Whether the interval of a part holds 0."""
        return bool(self.low[part] <= 0 <= self.high[part])


def floored_t(
    differences: Floats, noise: Floats, *, level_missed: float = LEVEL_MISSED
) -> FlooredRows:
    """Test each part's mean difference against 0; both arrays have the shape (blocks, parts).

    `noise` is the variance of each difference by counting alone. With v its mean over n blocks and
    s^2 the spread that was seen, the variance is max(v, (4 v + (n - 1) s^2) / (n + 3)) with n + 3
    degrees of freedom: limma's shrinkage (Smyth 2004) with a fixed prior. That prior is a bound and
    not a guess, because functions also vary by themselves. Where s^2 is beyond what counting
    explains (above the 99 % point of v times chi-squared), shrinking would only hide that: those
    parts, and exact ones without noise, have the plain t. Without that rule the intervals of large
    parts cover 88 % instead of 93 % or more (simulated); it costs few finds, since small parts
    seldom vary that much. Raises ValueError for fewer than 2 blocks or shapes that differ.
    """
    if differences.ndim != 2 or differences.shape != noise.shape or len(differences) < 2:
        shapes = f"{differences.shape} and {noise.shape}"
        raise ValueError(f"expected differences and noise of at least 2 blocks, got {shapes}")
    n = len(differences)
    mean = differences.mean(axis=0)
    seen = differences.var(axis=0, ddof=1)
    counted = noise.mean(axis=0)
    shrunk = (PRIOR_DF * counted + (n - 1) * seen) / (PRIOR_DF + n - 1)
    beyond = seen > counted * float(chi_square_exceeded(n - 1, BEYOND)) / (n - 1)
    plain = beyond | (counted <= 0)
    variance = np.where(plain, seen, np.maximum(counted, shrunk))
    df = np.where(plain, n - 1, n - 1 + PRIOR_DF).astype(np.float64)
    error = np.sqrt(variance / n)
    # Without any spread, a mean other than 0 is certain.
    certain = np.where(mean == 0, 0.0, np.inf)
    t = np.divide(np.abs(mean), error, out=certain, where=error > 0)
    reach = student_quantile(df, 1 - level_missed / 2) * error
    return FlooredRows(mean=mean, low=mean - reach, high=mean + reach, p=2 * student_below(df, -t))
