"""Holm's step-down adjustment of p-values (Holm 1979, Scandinavian Journal of Statistics 6).

For the few primary comparisons of one report; valid whatever the dependence between them. scipy has
Benjamini-Hochberg only, which controls another error.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values in the order given: reject where one is at most the family's alpha.

    The k-th smallest of m becomes the largest, so far, of (m - k + 1) p_(k), capped at 1. Raises
    ValueError for a p outside [0, 1].
    """
    p = np.asarray(p_values, dtype=np.float64)
    if p.size == 0:
        return []
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError(f"p-values lie between 0 and 1, got {list(p_values)}")
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return [float(x) for x in adjusted]
