"""What a client drew against what it should have drawn: the layout of tables of such figures.

All points of a sweep together come first, and alone unless each point is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from dyno.analysis.model import Findings
from dyno.report import load, numbers
from dyno.report.sheets import Cell, Group, Row

MORE_THAN_ALL = "more than there are"


class DrawnFigure(Protocol):
    """A figure of an arm, at a point or (None) at all of them together."""

    @property
    def arm(self) -> str:
        """Whose it is."""

    @property
    def point(self) -> int | None:
        """Where it was drawn."""

    @property
    def figure(self) -> str:
        """What it is, in words."""


D = TypeVar("D", bound=DrawnFigure)


def first(reads: Sequence[D]) -> list[D]:
    """Those to mention first: of all points together, or of the only one."""
    return [read for read in reads if read.point == reads[0].point]


def groups(
    findings: Findings, reads: Sequence[D], cells: Callable[[D], list[Cell]], *, all_points: bool
) -> list[Group]:
    """A group per place and arm, a row per figure."""
    places: list[int | None] = sorted(
        {read.point for read in reads}, key=lambda point: -1 if point is None else point
    )
    labels = {point.index: point.label for point in load.points_of(findings)}
    found = []
    for place in places if all_points else places[:1]:
        by_arm: dict[str, list[D]] = {}
        for read in reads:
            if read.point == place:
                by_arm.setdefault(read.arm, []).append(read)
        title = "all points together" if place is None else labels.get(place, "")
        for arm, here in by_arm.items():
            rows = [Row(read.figure, cells(read)) for read in here]
            found.append(Group(f"{title}, {arm}", rows))
    return found


def value(drawn: float, *, is_mean: bool) -> str:
    """A share in percent, a mean as it is."""
    return numbers.significant(drawn) if is_mean else f"{numbers.significant(drawn * 100)} %"


def interval(low: float, high: float, *, is_mean: bool) -> str:
    """Both ends, with the unit once."""
    times, unit = (1, "") if is_mean else (100, " %")
    ends = (numbers.significant(end * times) for end in (low, high))
    return f"{' to '.join(ends)}{unit}"
