"""Makes the rows of a comparison, each with its estimate and interval; rows of a partition sum."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from dyno.analysis.profiles.cells import Cells, Side, result_of
from dyno.analysis.profiles.grouping import Group
from dyno.analysis.profiles.matching import Move, Pair
from dyno.analysis.profiles.model import ProfileRow
from dyno.analysis.profiles.objects import Part
from dyno.stats import Estimate, Floats, benjamini_hochberg, shares_of_both, student_mean
from dyno.stats.floored import LEVEL_MISSED
from dyno.stats.sampled import SEEN_LEAST

INCLUSIVE_MOST = 20


class Table:
    """Makes rows, all in points of the baseline's CPU per op, beyond the factor if there is one."""

    def __init__(self, cells: Cells, ours: Side, theirs: Side, *, with_callers: bool) -> None:
        self.cells, self.ours, self.theirs = cells, ours, theirs
        # Without callers in either arm nobody knows what a function costs with all that it calls.
        self.with_callers = with_callers
        self.scale = 100 / theirs.mean_us
        self.factors: Floats | None = None

    def total(self) -> Estimate:
        """The whole difference; exact in each block, so that only blocks spread it."""
        return self._mean(self.ours.per_op - self.theirs.per_op)

    def share(self, factors: Floats) -> bool:
        """Set the blocks' factors that all functions share, unless the interval of their row covers
        0; returns whether they were set.
        """
        self.factors = factors
        row = self.common()
        assert row is not None
        low, high = row.points.bounds
        if low <= 0 <= high:
            self.factors = None
        return self.factors is not None

    def common(self) -> ProfileRow | None:
        """The row of the factor that all functions share."""
        if self.factors is None:
            return None
        return ProfileRow(
            kind="common",
            label="all functions",
            points=self._mean((self.factors - 1) * self.theirs.per_op),
            baseline_points=100.0,
        )

    def rows(self, found: Sequence[Group], p: Floats | None = None) -> list[ProfileRow]:
        """A row for each group; `p` are their adjusted p-values."""
        if not found:
            return []
        arm, baseline = self.cells.grouped([group.parts for group in found])
        result = result_of(arm, baseline, self.factors)
        costs = baseline.costs.mean(axis=0) * self.scale
        return [
            ProfileRow(
                kind=group.kind,
                label=group.label,
                module=group.module,
                points=result.estimate(row, self.scale),
                baseline_points=float(costs[row]),
                inclusive=self._inclusive(group),
                p=None if p is None else float(p[row]),
            )
            for row, group in enumerate(found)
        ]

    def partition(self, listed: Sequence[ProfileRow], parts: Sequence[Group]) -> list[ProfileRow]:
        """These rows, the common one before them and all that is in none of them as the last: they
        sum to the total.
        """
        taken = {part for group in parts for part in group.parts}
        others = tuple(part for part in self.cells.parts if part not in taken)
        rest = Group(kind="all else", label="all else", module="", parts=others)
        common = self.common()
        return [*([common] if common else []), *listed, *(self.rows([rest]) if others else [])]

    def points(self, parts: Collection[Part]) -> Estimate:
        """How much dearer these parts are together."""
        return self.cells.test([parts], self.factors).estimate(0, self.scale)

    def top_inclusive(self, pairs: Sequence[Pair], moves: Sequence[Move]) -> list[ProfileRow]:
        """The functions that differ most together with all that they call.

        Renamed ones are one; those that moved are a part of their callers in either arm.
        """
        own = self.ours.whole.inclusive.keys() | self.theirs.whole.inclusive.keys()
        gone = {part for move in moves for part in move.functions}
        other_name = {pair.ours: pair.theirs for pair in pairs}
        every = sorted(part for part in own if part.is_function and part not in gone)
        parts = [part for part in every if part not in other_name]
        if not parts or not self.with_callers:
            return []
        row_of = {part: row for row, part in enumerate(parts)}
        rows_of = [row_of[other_name.get(part, part)] for part in every]
        arm = self.ours.sampled(every, inclusive=True).merged(rows_of, len(parts))
        baseline = self.theirs.sampled(every, inclusive=True).merged(rows_of, len(parts))
        result = result_of(arm, baseline, self.factors)
        seen = np.flatnonzero(shares_of_both(arm, baseline) >= SEEN_LEAST)
        p = benjamini_hochberg(result.p[seen])
        costs = baseline.costs.mean(axis=0) * self.scale
        rows = [
            ProfileRow(
                kind="function",
                label=parts[at].label,
                module=parts[at].module,
                points=result.estimate(int(at), self.scale),
                baseline_points=float(costs[at]),
                p=float(adjusted),
            )
            for at, adjusted in zip(seen, p, strict=True)
            if adjusted <= LEVEL_MISSED
        ]
        return sorted(rows, key=by_size)[:INCLUSIVE_MOST]

    def _inclusive(self, group: Group) -> Estimate | None:
        known = self.with_callers and bool(group.inclusive)
        if not known or not group.inclusive[0].is_function:
            return None
        one_row = [0] * len(group.inclusive)
        arm = self.ours.sampled(group.inclusive, inclusive=True).merged(one_row, 1)
        baseline = self.theirs.sampled(group.inclusive, inclusive=True).merged(one_row, 1)
        return result_of(arm, baseline, self.factors).estimate(0, self.scale)

    def _mean(self, differences: Floats) -> Estimate:
        mean = student_mean(differences, p_star=LEVEL_MISSED)
        return mean.through(lambda value: value * self.scale)


def by_size(row: ProfileRow) -> tuple[float, str]:
    """Sorts rows: the largest difference first, in whatever direction."""
    return -abs(row.points.value), row.label
