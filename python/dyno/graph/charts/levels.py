"""The runs of each level: shared by the charts with one panel per level."""

from __future__ import annotations

from collections.abc import Callable

from dyno.analysis.load.model import PointRead
from dyno.graph.charts.points import UNKNOWN, point_of, points
from dyno.graph.model import Graph, Run

# The runs of a level, each with the name of its arm.
Level = tuple[PointRead, list[tuple[str, Run]]]


def by_level(graph: Graph, chosen: Callable[[Run], bool]) -> list[Level]:
    """The chosen runs level by level; those with an unknown level come last."""
    there = points(graph)
    nowhere = PointRead(index=len(there), label=UNKNOWN, connections=0)
    found: dict[int, Level] = {}
    for arm, run in graph.named:
        if chosen(run):
            point = point_of(graph, run, there) or nowhere
            found.setdefault(point.index, (point, []))[1].append((arm, run))
    return [found[index] for index in sorted(found)]
