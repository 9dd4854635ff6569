"""Log shares as points of the whole difference in percent, which add up.

A difference of D log units is 100 (e^D - 1) points. Each share gets its part by one common factor,
(e^D - 1) / D, the logarithmic mean of the two costs over A's, as in the index decomposition of
energy use (LMDI; Ang 2004, Energy Policy 32). Points aren't what a setting costs alone: e^phi - 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dyno.stats.estimate import Estimate

_SMALL = 0.001
"""Below this difference the factor is 1, within a twentieth of a percent."""


@dataclass(frozen=True, kw_only=True)
class Points:
    """Rows in points, in the order given, and their sum.

    `rounded` adds up to `total_rounded`. `agrees`: the sum of the log shares lies inside the
    measured difference's own interval; if not, the table doesn't describe that difference.
    """

    rows: tuple[Estimate, ...]
    total: float
    rounded: tuple[float, ...]
    total_rounded: float
    agrees: bool


def points_factor(difference: float) -> float:
    """Points per log unit, over 100, for shares that add up to this difference (log ratio)."""
    return math.expm1(difference) / difference if abs(difference) >= _SMALL else 1.0


def points(shares: Sequence[Estimate], difference: Estimate, *, decimals: int = 0) -> Points:
    """Shares (log ratios) in points; the headline is what they add up to.

    `difference` is what was measured, a log ratio: it only checks the headline. Bounds are
    multiplied by the same factor as values.
    """
    headline = math.fsum(share.value for share in shares)
    factor = 100 * points_factor(headline)
    rows = tuple(share.through(lambda value: value * factor) for share in shares)
    total = headline * factor
    low, high = difference.bounds
    rounded = rounded_to_sum([row.value for row in rows], decimals=decimals)
    return Points(
        rows=rows,
        total=total,
        rounded=rounded,
        total_rounded=round(math.fsum(rounded), decimals),
        agrees=low <= headline <= high,
    )


def rounded_to_sum(values: Sequence[float], *, decimals: int = 0) -> tuple[float, ...]:
    """Values rounded so that they add up to their rounded sum, by the largest remainder.

    Each is rounded down, and those with the largest remainders are raised, one unit each. Of equal
    remainders the first is raised.
    """
    unit = 10.0**decimals
    scaled = [value * unit for value in values]
    floors = [math.floor(value) for value in scaled]
    missing = round(math.fsum(scaled)) - sum(floors)
    by_remainder = sorted(range(len(scaled)), key=lambda i: (floors[i] - scaled[i], i))
    for i in by_remainder[: max(missing, 0)]:
        floors[i] += 1
    return tuple(whole / unit for whole in floors)
