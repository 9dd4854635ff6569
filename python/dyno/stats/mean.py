"""Student's interval of the mean contrast, shown beside the signed-rank interval.

The mean answers "how much work in all", the Hodges-Lehmann estimate "how fast typically". Where
stalls dominate, the two diverge, and the mean outside the signed-rank interval says so. Decisions
don't use it: bursts make it several times wider, and it isn't exact for skewed contrasts.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from dyno.stats.distributions import student_quantile
from dyno.stats.estimate import Estimate


def student_mean(contrasts: npt.ArrayLike, *, p_star: float) -> Estimate:
    """Mean and t interval at level 1 - p* of contrasts of shape (n,), in their units.

    mean -+ t(1 - p*/2; n - 1) * sd / sqrt(n); no interval for one contrast, nor for p* = 0. Raises
    ValueError if there is no contrast.
    """
    values = np.asarray(contrasts, dtype=np.float64)
    if values.ndim != 1 or not len(values):
        raise ValueError(f"expected contrasts in 1 dimension, got shape {values.shape}")
    n = len(values)
    mean = float(np.mean(values))
    if n == 1 or p_star <= 0:
        return Estimate(mean)
    quantile = -float(student_quantile(n - 1, p_star / 2))
    half_width = quantile * float(np.std(values, ddof=1)) / math.sqrt(n)
    return Estimate(mean, (mean - half_width, mean + half_width))
