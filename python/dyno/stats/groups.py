"""Whether groups of values have one mean, though their scatter may differ."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

FEWEST = 3


def same_mean_p(groups: Sequence[npt.ArrayLike]) -> float | None:
    """How likely groups of independent values would lie at least this far apart if they had one
    mean: the test of Alexander and Govern (1994), for normal values. None for fewer than two groups
    of `FEWEST` values, or one without scatter.
    """
    arrays = [np.asarray(group, dtype=float) for group in groups]
    known = [values for values in arrays if len(values) >= FEWEST]
    if len(known) < 2 or any(float(np.ptp(values)) == 0.0 for values in known):
        return None
    # Only here: it takes long to load, and few runs have groups.
    from scipy import stats

    return float(stats.alexandergovern(*known).pvalue)
