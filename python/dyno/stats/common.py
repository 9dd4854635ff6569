"""The factor that all parts of a cost share: "everything is 3 % dearer".

Another state of the caches or another clock moves all functions alike. Naming the largest of them
one by one would be true and would mislead, so this factor comes first, and functions are judged by
what they differ beyond it.
"""

from __future__ import annotations

import math

import numpy as np

from dyno.stats.rank import Floats
from dyno.stats.sampled import Sampled

PARTS_FEWEST = 10
"""Of fewer parts, what they have in common can't be told from what one of them does."""
EXPECTED_LEAST = 5.0
"""A part counts if this many of its samples are expected in either arm, should it cost the same in
both. One that a dearer arm's few samples would mostly miss has a ratio of 0, and says nothing."""


def common_factors(arm: Sampled, baseline: Sampled) -> Floats | None:
    """The typical ratio of a part's cost in the arm to that in the baseline, shape (blocks,).

    The median over parts of c_B / c_A, with costs of all blocks together, each part weighted by the
    root of its samples in both arms, which is one over its counting noise. A few parts that changed
    hardly move it. Medians of single blocks, whose ratios scatter more, they would move further;
    so those only give the spread: the mean logarithm of the factors is that of all blocks together.
    None for fewer than 10 parts with enough samples, or if the factors aren't finite.
    """
    seen = _expected(arm, baseline) >= EXPECTED_LEAST
    if np.count_nonzero(seen) < PARTS_FEWEST:
        return None
    arm, baseline = arm.only(seen), baseline.only(seen)
    weights = np.sqrt(arm.counts.sum(axis=0) + baseline.counts.sum(axis=0))
    ours, theirs = arm.costs, baseline.costs
    together = _typical(ours.sum(axis=0), theirs.sum(axis=0), weights)
    single = np.array([_typical(*costs, weights) for costs in zip(ours, theirs, strict=True)])
    if not (math.isfinite(together) and np.isfinite(single).all()):
        return None
    factors: Floats = np.exp(together + single - single.mean())
    return factors


def _expected(arm: Sampled, baseline: Sampled) -> Floats:
    """The samples of each part, shape (parts,), that the arm with fewer of them has if the part
    costs the same in both: arms whose op is dearer have fewer samples for an equal cost.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        per_cost = np.array([(side.totals / side.per_op).sum() for side in (arm, baseline)])
        share = float(per_cost.min() / per_cost.sum())
    fewest: Floats = share * (arm.counts.sum(axis=0) + baseline.counts.sum(axis=0))
    return fewest


def _typical(ours: Floats, theirs: Floats, weights: Floats) -> float:
    """The weighted median of the parts' log ratios, nan if no part has a cost."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(ours) - np.log(theirs)
    known = ~np.isnan(logs)
    return weighted_median(logs[known], weights[known]) if known.any() else math.nan


def weighted_median(values: Floats, weights: Floats) -> float:
    """The value with at most half of the weight on either side, both of shape (n,); the mean of two
    values if exactly half is on each. Infinite values are allowed. Raises ValueError without values
    or weight.
    """
    if not len(values) or not weights.sum() > 0:
        raise ValueError("a median needs values that have a weight")
    order = np.argsort(values, kind="stable")
    ordered, below = values[order], np.cumsum(weights[order])
    half = below[-1] / 2
    at = int(np.searchsorted(below, half))
    if below[at] == half and at + 1 < len(ordered):
        return float((ordered[at] + ordered[at + 1]) / 2)
    return float(ordered[at])
