"""Benjamini and Hochberg's adjustment of p-values (1995, Journal of the Royal Statistical Society B
57): for lists of candidates, such as the functions of a profile.

Of what it lets through, a share of at most alpha is false on average. That is less than Holm's rule
promises, and enough for a list that says where to look. scipy has it too, in a module that takes
half a second to load.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dyno.stats.rank import Floats


def benjamini_hochberg(p_values: npt.ArrayLike) -> Floats:
    """Adjusted p-values, shape (m,), in the order given: list what is at most alpha.

    The k-th smallest of m becomes the smallest m p_(j) / j over j >= k, at most 1. Raises
    ValueError for a p outside [0, 1] or another shape.
    """
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1:
        raise ValueError(f"expected p-values in 1 dimension, got shape {p.shape}")
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError(f"p-values lie between 0 and 1, got {p.tolist()}")
    order = np.argsort(p, kind="stable")
    scaled = p[order] * p.size / np.arange(1, p.size + 1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return adjusted
