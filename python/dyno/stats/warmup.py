"""Where a trial's warm-up ends: MSER-5 over its throughput.

White (1997, Simulation 69) and Spratt: average the series into batches of 5, then leave out the
first d batches such that the standard error of the mean of the rest is smallest. It finds a
transient that ends within the series. It can't fix a series that is too short: then the smallest
value lies at the bound, half of the series, and the cut says so. Drift is judged in `steady`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dyno.stats.rank import Floats

BATCH = 5
FEWEST_BATCHES = 4


@dataclass(frozen=True, kw_only=True)
class Cut:
    """How many values at the start are warm-up.

    `at_bound`: the best cut takes half of the series, so the warm-up may not have ended there.
    `known` is False for a series too short to judge; nothing is cut then.
    """

    values: int
    at_bound: bool = False
    known: bool = True


def mser5(values: npt.ArrayLike) -> Cut:
    """The cut of a series of shape (n,) that minimises sum (x_i - mean_d)^2 / (k - d)^2 over d.

    x are the k means of batches of 5, without a remainder at the end, and d runs from 0 to k / 2;
    the first of equal minima counts. Raises ValueError for values that aren't finite.
    """
    series = np.asarray(values, dtype=np.float64)
    if series.ndim != 1 or not np.isfinite(series).all():
        raise ValueError(f"expected a series of finite values, got shape {series.shape}")
    k = len(series) // BATCH
    if k < FEWEST_BATCHES:
        return Cut(values=0, known=False)
    means = series[: k * BATCH].reshape(k, BATCH).mean(axis=1)
    bound = k // 2
    spread = _squared_errors(means - means.mean())[: bound + 1]
    d = int(np.argmin(spread))
    return Cut(values=d * BATCH, at_bound=d == bound)


def _squared_errors(x: Floats) -> Floats:
    """sum_{i >= d} (x_i - mean_d)^2 / (k - d)^2 for every d; `x` is centred, so little is lost."""
    left = np.arange(len(x), 0, -1)
    total = np.cumsum(x[::-1])[::-1]
    squares = np.cumsum((x * x)[::-1])[::-1]
    deviation: Floats = np.maximum(squares - total * total / left, 0.0) / (left * left)
    return deviation
