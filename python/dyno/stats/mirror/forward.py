"""Which of many factors are worth confirming: a robust fit that takes them in one by one.

Screening proves nothing. It only chooses what is measured again, in fresh blocks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dyno.stats.rank import Floats

MOST_CHOSEN = 7
ERRORS_LEAST = 2.5
"""A factor is taken in if its effect is at least this many standard errors."""

RESOLVED_ERRORS = 3.0
"""An effect of this many standard errors is hardly missed."""

REPLICATES_MOST = 4
PAIRS_FIRST = 20

_WINSOR = 2.0
_ROUNDS = 5
_MAD_TO_SD = 1.4826
_NOISE_LEAST = 1e-12
"""Log ratios below this are rounding: without noise the fit ends once nothing else is left."""


@dataclass(frozen=True, kw_only=True)
class Fit:
    """`chosen` columns in the order taken, their `values` (shape (len(chosen),), log ratios), and
    the standard error `se` of each.
    """

    chosen: tuple[int, ...]
    values: Floats
    se: float

    @property
    def resolution(self) -> float:
        """The size of an effect that is hardly missed, as a log ratio."""
        return RESOLVED_ERRORS * self.se


def forward(design: Floats, differences: Floats) -> Fit:
    """Fit the differences of pairs, shape (n,), by columns of a design of +-1, shape (n, p).

    From nothing: least squares on what is chosen, with residuals winsorised at two robust standard
    deviations, 1.4826 MAD sqrt(n / (n - chosen)), so that a burst can't look like an effect; then
    the column with the largest mean product Z'r / n, if that is 2.5 standard errors. Errors are the
    root mean square of the winsorised residuals over sqrt(n - chosen). Void pairs are left out
    before; columns needn't be orthogonal.
    """
    n, factors = design.shape
    chosen: list[int] = []
    while True:
        values, residuals = _robust(design[:, chosen], differences)
        se = float(np.sqrt(np.mean(residuals**2) / max(n - len(chosen), 1)))
        effects = np.abs(design.T @ residuals) / n
        effects[chosen] = 0.0
        largest = int(np.argmax(effects))
        if (
            len(chosen) == min(MOST_CHOSEN, factors)
            or effects[largest] < ERRORS_LEAST * se
            or effects[largest] < _NOISE_LEAST
        ):
            return Fit(chosen=tuple(chosen), values=values, se=se)
        chosen.append(largest)


def first_replicates(order: int) -> int:
    """How often a design of this order is measured at first: 20 pairs at least."""
    return math.ceil(PAIRS_FIRST / order)


def needed_replicates(first: int, resolution: float, worth: float) -> int:
    """Replicates in all that resolve effects worth finding (log ratio), 4 times the first at most.

    ceil(first (resolution / worth)^2), and `first` if the resolution suffices.
    """
    if resolution <= worth:
        return first
    return min(REPLICATES_MOST * first, math.ceil(first * (resolution / worth) ** 2))


def _robust(design: Floats, differences: Floats) -> tuple[Floats, Floats]:
    """Coefficients of the columns, shape (k,), and winsorised residuals, shape (n,)."""
    n, chosen = design.shape
    values: Floats = np.zeros(chosen)
    target = differences
    for _ in range(_ROUNDS):
        if chosen:
            values = np.asarray(np.linalg.lstsq(design, target, rcond=None)[0], dtype=np.float64)
        fitted = design @ values
        residuals = differences - fitted
        sd = _MAD_TO_SD * float(np.median(np.abs(residuals))) * math.sqrt(n / max(n - chosen, 1))
        clipped = np.clip(residuals, -_WINSOR * sd, _WINSOR * sd)
        target = fitted + clipped
    return values, clipped
