"""Panels beside each other, one a level: what the pictures of single runs share."""

from __future__ import annotations

from collections.abc import Callable

from dyno.analysis.model import PointRead
from dyno.graph.charts.points import UNKNOWN, point_of, points
from dyno.graph.model import Graph, Run
from dyno.report.charts import look
from dyno.report.charts.chart import Spec
from dyno.report.charts.stack import clipped

GAP_PX = 24
AXIS_PX = 52
# What stands beyond the outer panels: padding, and half of the last label.
EDGES_PX = 40


def by_level(
    graph: Graph, chosen: Callable[[Run], bool]
) -> list[tuple[PointRead, list[tuple[str, Run]]]]:
    """The chosen runs level by level; those of no known level come last."""
    there = points(graph)
    nowhere = PointRead(index=len(there), label=UNKNOWN, connections=0)
    found: dict[int, tuple[PointRead, list[tuple[str, Run]]]] = {}
    for arm, run in graph.named:
        if chosen(run):
            point = point_of(graph, run, there) or nowhere
            found.setdefault(point.index, (point, []))[1].append((arm, run))
    return [found[index] for index in sorted(found)]


def heading(point: PointRead, width_px: int) -> Spec:
    """The level over its panel."""
    return {
        "text": clipped(point.label, width_px // 7),
        "anchor": "start",
        "fontSize": look.TEXT_PX,
        "frame": "group",
        "offset": 6,
    }
