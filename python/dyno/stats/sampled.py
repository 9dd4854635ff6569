"""An exact amount per op, split by samples: what each function of a server costs.

The CPU time of a trial is known exactly, and n_f of its n samples lie in function f. So f costs
c_f = C n_f / n per op, with C the CPU time per op. The costs of two arms are subtracted block by
block: over parts that don't overlap and leave nothing out, the differences sum to C_B - C_A. Shares
would not do: if one function becomes dearer, the shares of all others fall.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dyno.stats.rank import Floats

SEEN_LEAST = 0.001
"""A part is tested if it has at least this share of the samples of both arms together. This can't
favour a part that differs, since it looks at the sum of the arms only."""


@dataclass(frozen=True, kw_only=True)
class Sampled:
    """The trials of one arm, one of each block.

    `per_op`, shape (blocks,), is the exact amount per op, in any unit; `counts`, (blocks, parts),
    the samples in each part; `totals`, (blocks,), all samples of a trial. Parts may overlap (a
    function with all that it calls), so their counts needn't sum to the totals. Raises ValueError
    for other shapes, for a trial without samples, and for amounts that aren't finite or below 0.
    """

    per_op: Floats
    counts: Floats
    totals: Floats

    def __post_init__(self) -> None:
        blocks = len(self.per_op)
        if self.counts.ndim != 2 or len(self.counts) != blocks or self.totals.shape != (blocks,):
            shapes = f"{self.per_op.shape}, {self.counts.shape} and {self.totals.shape}"
            raise ValueError(f"amounts, counts and totals don't fit together: {shapes}")
        if not (np.isfinite(self.per_op) & (self.per_op >= 0)).all():
            raise ValueError(f"amounts per op are finite and not below 0, got {self.per_op}")
        if not (self.totals > 0).all():
            raise ValueError(f"every trial needs samples, got {self.totals} in all")
        if not ((self.counts >= 0) & (self.counts <= self.totals[:, None])).all():
            raise ValueError("a part has fewer samples than none, or more than its trial")

    @property
    def costs(self) -> Floats:
        """C n_f / n, shape (blocks, parts), in the unit of `per_op`."""
        return self.per_op[:, None] * self.counts / self.totals[:, None]

    @property
    def noise(self) -> Floats:
        """The variance of `costs` by counting alone, in its unit squared.

        C^2 (n_f + 1/2) (1 - n_f / n) / n^2, the binomial one. The half is there because a part that
        was never seen isn't free of noise.
        """
        shares = self.counts / self.totals[:, None]
        scale = (self.per_op / self.totals) ** 2
        return scale[:, None] * (self.counts + 0.5) * (1 - shares)

    def merged(self, rows: Sequence[int], n: int) -> Sampled:
        """The same samples in `n` rows: `rows[f]` is the row that takes part f."""
        counts = np.zeros((len(self.per_op), n))
        np.add.at(counts.T, np.asarray(rows, dtype=np.intp), self.counts.T)
        return Sampled(per_op=self.per_op, counts=counts, totals=self.totals)

    def only(self, parts: npt.NDArray[np.bool_] | slice) -> Sampled:
        """These parts only, of the same totals."""
        return Sampled(per_op=self.per_op, counts=self.counts[:, parts], totals=self.totals)


def differences(arm: Sampled, baseline: Sampled, factors: Floats | None = None) -> Floats:
    """What each part costs more in the arm, shape (blocks, parts), in the unit of `per_op`.

    `factors`, shape (blocks,), multiply the baseline's costs first: what is left is the difference
    beyond a factor that all parts share.
    """
    scaled = baseline.costs if factors is None else factors[:, None] * baseline.costs
    return arm.costs - scaled


def counting_noise(arm: Sampled, baseline: Sampled, factors: Floats | None = None) -> Floats:
    """The variance of `differences` by counting alone, shape (blocks, parts)."""
    scaled = baseline.noise if factors is None else factors[:, None] ** 2 * baseline.noise
    return arm.noise + scaled


def shares_of_both(arm: Sampled, baseline: Sampled) -> Floats:
    """The share of each part in the samples of both arms together, shape (parts,)."""
    counts = arm.counts.sum(axis=0) + baseline.counts.sum(axis=0)
    both: Floats = counts / (arm.totals.sum() + baseline.totals.sum())
    return both
