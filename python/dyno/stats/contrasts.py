"""From the values of two arms to the contrasts of their blocks: the only thing inference sees.

A contrast is the log ratio of two arms' values inside one block. What a value is (a median time, a
throughput, a percentile) and which blocks are void is decided elsewhere, before arms are compared.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from dyno.stats.rank import Floats

_Place = TypeVar("_Place", bound=tuple[int, ...])


@dataclass(frozen=True, kw_only=True)
class Contrasts:
    """Log ratios of arm to baseline by block: `values[k]`, shape (n,), belongs to `blocks[k]`.

    Ascending by block, the order of running that the looks need. `left_out` are the blocks that
    only one of the two arms has.
    """

    values: Floats
    blocks: tuple[int, ...]
    left_out: tuple[int, ...]


def log_ratio(value: float, baseline: float) -> float:
    """ln(value) - ln(baseline); as a difference, so that swapping the two negates it exactly.

    Raises ValueError unless both are finite and positive: a value of 0 has no ratio.
    """
    for x in (value, baseline):
        if not (math.isfinite(x) and x > 0):
            raise ValueError(f"a ratio needs finite, positive values, got {x}")
    return math.log(value) - math.log(baseline)


def paired_log_ratios(
    arm: Mapping[_Place, float], baseline: Mapping[_Place, float]
) -> Floats | None:
    """Log ratios, shape (n,), of values that were measured side by side, such as slices, by their
    keys in ascending order. A value without a partner is left out. None for fewer than two pairs,
    and where one has no ratio.
    """
    shared = sorted(arm.keys() & baseline.keys())
    ours, theirs = ([side[key] for key in shared] for side in (arm, baseline))
    if len(shared) < 2 or min(ours + theirs) <= 0:
        return None
    return np.log(ours) - np.log(theirs)


def block_contrasts(arm: Mapping[int, float], baseline: Mapping[int, float]) -> Contrasts:
    """Contrasts of `arm` to `baseline`, both keyed by block number, over the blocks that have both.

    For times a negative contrast means that the arm is faster than the baseline. Raises ValueError
    like `log_ratio`, naming the block.
    """
    shared = sorted(arm.keys() & baseline.keys())
    values = np.empty(len(shared))
    for k, block in enumerate(shared):
        try:
            values[k] = log_ratio(arm[block], baseline[block])
        except ValueError as error:
            raise ValueError(f"block {block}: {error}") from error
    return Contrasts(
        values=values,
        blocks=tuple(shared),
        left_out=tuple(sorted(arm.keys() ^ baseline.keys())),
    )
