"""Was a trial steady after its warm-up? Reasons why not, or none. Judges one series, compares none.

A drift counts if it is both large and more than noise: the steps of a noisy series are not a
drift, and a tiny but certain one doesn't matter. Noise is estimated from batch means, because the
seconds of one trial depend on each other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dyno.stats.distributions import normal_quantile, student_quantile
from dyno.stats.rank import Floats
from dyno.stats.warmup import Cut

DRIFT_MOST = 0.05
LEVEL = 0.98
BATCHES_MOST = 10
BATCHES_FEWEST = 6


@dataclass(frozen=True, kw_only=True)
class Steadiness:
    """Why a series isn't steady, in words; no reasons: nothing speaks against it.

    `drift` is the slope (Theil-Sen) over the whole window and `thirds` the last third minus the
    first, both as shares of the median. `known` is False for a series too short to be judged.
    """

    reasons: tuple[str, ...] = ()
    drift: float | None = None
    thirds: float | None = None
    known: bool = True

    @property
    def steady(self) -> bool:
        """Judged, and without a reason against it."""
        return self.known and not self.reasons


def steadiness(values: npt.ArrayLike, *, cut: Cut) -> Steadiness:
    """Judge the values (shape (n,), after the cut) of a series whose warm-up ended at `cut`.

    Not steady: the cut lies at its bound; or the slope over the window is more than 5 % of the
    median and its 98 % interval excludes 0; or the last third is more than 5 % away from the
    first, and the interval of their difference excludes 0.
    """
    series = np.asarray(values, dtype=np.float64)
    median = float(np.median(series)) if len(series) else 0.0
    if len(series) < BATCHES_FEWEST or median <= 0 or not cut.known:
        return Steadiness(known=False)
    reasons = ["the warm-up took half of the phase, or more"] if cut.at_bound else []
    batches = batch_means(series)
    slope, low, high = _slope(batches)
    drift = slope * len(batches) / median
    if abs(drift) > DRIFT_MOST and (low > 0 or high < 0):
        reasons.append(f"it drifted by {100 * drift:+.0f} % over the phase")
    thirds, half_width = _thirds(batches)
    thirds, half_width = thirds / median, half_width / median
    if abs(thirds) > DRIFT_MOST and abs(thirds) > half_width:
        reasons.append(f"its last third was {100 * thirds:+.0f} % from the first")
    return Steadiness(reasons=tuple(reasons), drift=drift, thirds=thirds)


def batch_means(series: Floats) -> Floats:
    """Means of 6 to 10 equal batches; a remainder is left out at the start."""
    batches = max(BATCHES_FEWEST, min(BATCHES_MOST, len(series) // 3))
    size = len(series) // batches
    means: Floats = series[len(series) - batches * size :].reshape(batches, size).mean(axis=1)
    return means


def _slope(batches: Floats) -> tuple[float, float, float]:
    """Theil-Sen slope per batch with its interval, which inverts Kendall's test (Sen 1968, with
    his equation 2.6 for ties). scipy has it too, in a module that takes longer to load than all the
    rest of Dyno.
    """
    n = len(batches)
    first, second = np.triu_indices(n, 1)
    slopes = np.sort((batches[second] - batches[first]) / (second - first))
    tied = np.unique(batches, return_counts=True)[1].tolist()
    variance = (_ties(n) - sum(map(_ties, tied))) / 18
    reach = float(normal_quantile(0.5 + LEVEL / 2)) * math.sqrt(variance)
    low = max(round((len(slopes) - reach) / 2) - 1, 0)
    high = min(round((len(slopes) + reach) / 2), len(slopes) - 1)
    return float(np.median(slopes)), float(slopes[low]), float(slopes[high])


def _ties(k: int) -> int:
    """18 times the variance of Kendall's sum over k values; k equal ones take as much from it."""
    return k * (k - 1) * (2 * k + 5)


def _thirds(batches: Floats) -> tuple[float, float]:
    """Last third minus the first, and the half-width of its t interval, from batch means."""
    size = len(batches) // 3
    first, last = batches[:size], batches[-size:]
    variance = (np.var(first, ddof=1) + np.var(last, ddof=1)) / size
    quantile = float(student_quantile(2 * (size - 1), 0.5 + LEVEL / 2))
    return float(last.mean() - first.mean()), quantile * math.sqrt(float(variance))
