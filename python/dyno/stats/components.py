"""Where the spread of block contrasts comes from, and what would narrow the interval.

Two levels: what varies inside a trial, which a longer trial averages out, and what differs from
block to block, which only more blocks do (Kalibera & Jones, "Rigorous Benchmarking in Reasonable
Time", ISMM 2013, in its corrected form: T_2^2 = S_2^2 - S_1^2 / r_1, and the best length of a trial
sqrt(c_2 / c_1 * T_1^2 / T_2^2)). Nothing here enters a verdict.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from dyno.stats.distributions import normal_quantile
from dyno.stats.effect import spread
from dyno.stats.steady import BATCHES_FEWEST, batch_means

WORTH = 0.8
"""Another length of trials is proposed where it needs at most this share of the time."""

LENGTH_STEP_MOST = 8.0
"""No trial is proposed that is longer or shorter than the measured one by more than this factor:
farther away nobody knows what the variance inside a trial would be."""

LENGTH_LEAST_S = 1.0
"""Nor one that is shorter than a trial may be."""


class Narrowed(StrEnum):
    """What makes the interval as narrow as requested."""

    ENOUGH = "narrow enough"
    BLOCKS = "more blocks"
    LONGER = "longer trials"
    SHORTER = "shorter trials"
    NEITHER = "neither"


@dataclass(frozen=True, kw_only=True)
class Components:
    """Standard deviations of a block's contrast, as log ratios: `block` of all, `within` of what
    varies inside its two trials, `between` of the rest. None if unknown.
    """

    block: float
    within: float | None
    between: float | None


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """What to change: `blocks` in total, each trial `length_s` long; `share` of the time that
    blocks of the current length would need for the same interval.
    """

    by: Narrowed
    blocks: int | None = None
    length_s: float | None = None
    share: float | None = None


def relative_error(series: npt.ArrayLike) -> float | None:
    """The standard error of a series' mean as a share of it, from 6 to 10 batch means, since
    neighbours in time depend on each other. None for fewer values, and for a mean of 0.
    """
    values = np.asarray(series, dtype=np.float64)
    mean = float(values.mean()) if len(values) else 0.0
    if len(values) < BATCHES_FEWEST or mean <= 0:
        return None
    batches = batch_means(values)
    return float(np.std(batches, ddof=1)) / math.sqrt(len(batches)) / mean


def components(contrasts: npt.ArrayLike, errors: Sequence[float | None]) -> Components | None:
    """Split the spread of contrasts (log ratios). `errors` are the relative errors inside the
    trials, two per block; if more than half are missing, the parts are unknown. None for fewer than
    3 contrasts.
    """
    block = spread(contrasts)
    if not math.isfinite(block):
        return None
    known = [error for error in errors if error is not None]
    if 2 * len(known) <= len(errors):
        return Components(block=block, within=None, between=None)
    # A block's contrast has the errors of both its trials.
    within = math.sqrt(2 * float(np.mean(np.square(known))))
    between = math.sqrt(max(0.0, block**2 - within**2))
    return Components(block=block, within=min(within, block), between=between)


def propose(
    found: Components,
    *,
    half_width: float,
    target: float,
    p_star: float,
    last: int,
    length_s: float | None,
    overhead_s: float,
) -> Proposal:
    """What would bring the interval to +-`target` (log ratio) within `last` blocks.

    `length_s` is how long each trial is measured, None if that can't be chosen; `overhead_s` is
    what a trial takes in addition: start, warm-up, copies. Another length is proposed if it saves
    at least a fifth of the time; otherwise more blocks, if that many are allowed.
    """
    if half_width <= target:
        return Proposal(by=Narrowed.ENOUGH)
    quantile = -float(normal_quantile(p_star / 2))

    def blocks_at(factor: float) -> int:
        """The blocks needed by trials that are longer by the factor."""
        variance = found.block**2
        if found.within is not None and found.between is not None:
            variance = found.between**2 + found.within**2 / factor
        return max(1, math.ceil(quantile**2 * variance / target**2))

    now = blocks_at(1.0)
    if found.within is None or found.between is None or not length_s:
        by = Narrowed.BLOCKS if now <= last else Narrowed.NEITHER
        return Proposal(by=by, blocks=now if now <= last else None)
    best = math.inf
    if found.between > 0:
        best = math.sqrt(overhead_s / length_s) * found.within / found.between
    least = max(1 / LENGTH_STEP_MOST, LENGTH_LEAST_S / length_s)
    factor = min(max(best, least), LENGTH_STEP_MOST)
    wanted = blocks_at(factor)
    share = wanted * (overhead_s + factor * length_s) / (now * (overhead_s + length_s))
    if wanted <= last and (share <= WORTH or now > last):
        by = Narrowed.LONGER if factor > 1 else Narrowed.SHORTER
        return Proposal(by=by, blocks=wanted, length_s=factor * length_s, share=share)
    if now <= last:
        return Proposal(by=Narrowed.BLOCKS, blocks=now)
    return Proposal(by=Narrowed.NEITHER)
