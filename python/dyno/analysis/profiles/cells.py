"""Samples of two arms by block and part, and the test of any grouping of parts into rows."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dyno.analysis.profiles.folding import Folded, sum_of
from dyno.analysis.profiles.objects import Part
from dyno.analysis.profiles.trial import ProfiledTrial
from dyno.stats import Floats, FlooredRows, Sampled, counting_noise, differences, floored_t


@dataclass(frozen=True, kw_only=True)
class Side:
    """An arm: its trials in the order of the blocks, and what each was folded to."""

    name: str
    trials: Sequence[ProfiledTrial]
    folded: Sequence[Folded]

    @cached_property
    def whole(self) -> Folded:
        """All trials together."""
        return sum_of(self.folded)

    @property
    def per_op(self) -> Floats:
        """CPU microseconds per op, shape (blocks,)."""
        return np.array([trial.cpu_us_per_op for trial in self.trials])

    @property
    def mean_us(self) -> float:
        """CPU microseconds per op, the mean over the blocks."""
        return float(self.per_op.mean())

    def sampled(self, parts: Sequence[Part], *, inclusive: bool = False) -> Sampled:
        """The counts of these parts."""
        counted = [folded.inclusive if inclusive else folded.own for folded in self.folded]
        return Sampled(
            per_op=self.per_op,
            counts=np.array([[count[part] for part in parts] for count in counted], dtype=float),
            totals=np.array([folded.samples for folded in self.folded], dtype=float),
        )


@dataclass(frozen=True)
class Cells:
    """Both arms over the same parts, which may be grouped."""

    parts: Sequence[Part]
    arm: Sampled
    baseline: Sampled

    @classmethod
    def of(cls, ours: Side, theirs: Side) -> Cells:
        """All parts that either arm has."""
        parts = sorted(ours.whole.own.keys() | theirs.whole.own.keys())
        return cls(parts, ours.sampled(parts), theirs.sampled(parts))

    def grouped(self, groups: Sequence[Collection[Part]]) -> tuple[Sampled, Sampled]:
        """Both arms with a row for each group; no part may be in two."""
        row_of = {part: row for row, group in enumerate(groups) for part in group}
        # Parts in none of the groups go to one more row, which is left out.
        rows = [row_of.get(part, len(groups)) for part in self.parts]
        arm, baseline = (side.merged(rows, len(groups) + 1) for side in (self.arm, self.baseline))
        return arm.only(slice(len(groups))), baseline.only(slice(len(groups)))

    def test(
        self, groups: Sequence[Collection[Part]], factors: Floats | None = None
    ) -> FlooredRows:
        """The test of each group's difference, in microseconds per op."""
        return result_of(*self.grouped(groups), factors)


def result_of(arm: Sampled, baseline: Sampled, factors: Floats | None = None) -> FlooredRows:
    """The floored t of each part, beyond `factors` of the blocks."""
    return floored_t(differences(arm, baseline, factors), counting_noise(arm, baseline, factors))
