"""What confirming blocks prove: named, dropped or open, at a few looks with one level for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from dyno.stats.boundary import checked_looks, p_star, sequential_p
from dyno.stats.estimate import Estimate, bounded
from dyno.stats.mirror.outcome import Figure, Standing
from dyno.stats.rank import Floats, signed_rank, signed_rank_rows


@dataclass(frozen=True, kw_only=True)
class Rule:
    """How `tests` settings are judged that share `alpha`, after `looks` blocks.

    `delta` is the least size that is named, `near` the half-width within which a setting is
    dropped, both log ratios. Given what screening chose, some harmless setting is named with
    probability alpha at most: each test is exact at alpha / tests, on blocks that screening hasn't
    seen (Bonferroni).
    """

    looks: tuple[int, ...]
    alpha: float
    tests: int
    delta: float
    near: float
    p_star: float = field(init=False)

    def __post_init__(self) -> None:
        looks = checked_looks(self.looks)
        object.__setattr__(self, "p_star", p_star(looks, self.alpha / max(self.tests, 1)))

    def estimates(self, values: Floats) -> tuple[Estimate, ...]:
        """An estimate for each column of one value a block, shape (n, columns)."""
        rows = signed_rank_rows(values.T, p_star=self.p_star)
        ends = zip(rows.estimate, rows.low, rows.high, strict=True)
        return tuple(bounded(float(value), float(low), float(high)) for value, low, high in ends)

    def standing(self, estimate: Estimate) -> Standing:
        """Named: the interval leaves out 0, which is p <= p*, and the estimate is delta at least.
        Dropped: the interval lies inside +-near. Else open.
        """
        low, high = estimate.bounds
        if (low > 0 or high < 0) and abs(estimate.value) >= self.delta:
            return Standing.NAMED
        if -self.near < low and high < self.near:
            return Standing.DROPPED
        return Standing.OPEN

    def standings(self, values: Floats) -> tuple[Standing, ...]:
        """The standing of each column, shape (n, columns)."""
        return tuple(map(self.standing, self.estimates(values)))

    def figure(self, values: Floats) -> Figure | None:
        """The figure of one value a block, shape (n,), as one of the tests; see `figure`."""
        return figure(values, looks=self.looks, alpha=self.alpha, tests=self.tests)


def figure(values: Floats, *, looks: Sequence[int], alpha: float, tests: int = 1) -> Figure | None:
    """Estimate, repeated interval and p of values in the order of their blocks, shape (n,).

    `tests` share alpha: the interval has level alpha / tests, and p is multiplied by it. NaN values
    are left out. Where n isn't a look, it takes the place of those that never happened: budgets and
    void trials don't know which value is which. None without any value.
    """
    kept = values[np.isfinite(values)]
    if not len(kept):
        return None
    tests = max(tests, 1)
    seen = signed_rank(kept, p_star=p_star(looks, alpha / tests))
    p = sequential_p(kept, looks, final=len(kept) not in looks)
    return Figure(estimate=seen.estimate, n=len(kept), p=min(1.0, tests * p))


def leaves_out_zero(found: Figure, *, least: float) -> bool:
    """Whether a figure's interval leaves out 0 and its estimate has at least this size."""
    low, high = found.estimate.bounds
    return (low > 0 or high < 0) and abs(found.estimate.value) >= least
