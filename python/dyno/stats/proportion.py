"""Shares and means of counted draws with their intervals. Not for blocks' figures."""

from __future__ import annotations

import math

from dyno.stats.distributions import beta_quantile, normal_quantile


def wilson(seen: int, n: int, *, confidence: float = 0.99) -> tuple[float, float]:
    """The shares that `seen` of `n` independent draws don't rule out; (0, 1) if n is 0.

    Uses the formula: scipy's binomtest gives other last bits, and stored runs keep their figures.
    Raises ValueError for more seen than drawn.
    """
    if not 0 <= seen <= n:
        raise ValueError(f"{seen} of {n} isn't a share")
    if n == 0:
        return 0.0, 1.0
    z = _deviations(confidence)
    share = seen / n
    middle = share + z * z / (2 * n)
    reach = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    whole = 1 + z * z / n
    return max(0.0, (middle - reach) / whole), min(1.0, (middle + reach) / whole)


def clopper_pearson(seen: int, n: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """The shares that `seen` of `n` independent draws don't rule out, by the exact binomial
    (Clopper and Pearson 1934); (0, 1) if n is 0. With none or all seen the whole error is on one
    side: 0 of 59 gives (0, 0.05).

    Raises ValueError for more seen than drawn.
    """
    if not 0 <= seen <= n:
        raise ValueError(f"{seen} of {n} isn't a share")
    if n == 0:
        return 0.0, 1.0
    tail = 1 - confidence if seen in (0, n) else (1 - confidence) / 2
    low = 0.0 if seen == 0 else float(beta_quantile(seen, n - seen + 1, tail))
    high = 1.0 if seen == n else float(beta_quantile(seen + 1, n - seen, 1 - tail))
    return low, high


def mean_of_known_spread(
    total: float, n: int, deviation: float, *, confidence: float = 0.99
) -> tuple[float, float]:
    """The means that n draws with that sum don't rule out, if a draw's deviation is known.

    Raises ValueError for no draw.
    """
    if n < 1:
        raise ValueError(f"{n} draws have no mean")
    reach = _deviations(confidence) * deviation / math.sqrt(n)
    return total / n - reach, total / n + reach


def _deviations(confidence: float) -> float:
    """Half the width of a normal interval, in deviations."""
    return float(normal_quantile((1 + confidence) / 2))
