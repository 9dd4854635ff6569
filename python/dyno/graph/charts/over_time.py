"""Throughput, latency and queue over time: a panel per level, a thin line per run.

Long runs are thinned to the least and the greatest interval of each window, so that stalls remain.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dyno.graph.charts import words
from dyno.graph.charts.levels import Level, by_level
from dyno.graph.charts.points import ordinal, usual_quantile
from dyno.graph.model import Graph, Interval, Run
from dyno.report import load
from dyno.report.charts import look
from dyno.report.charts.arms import Arms, legend
from dyno.report.charts.chart import Chart, Spec, document
from dyno.report.charts.look import Page
from dyno.report.charts.panels import AXIS_PX, count_axis, grid, heading, side_by_side, time_axis
from dyno.report.charts.series import thinned

PANELS_MOST = 9
VERTICES_MOST = 7_000
Take = Callable[[Interval], float | None]


@dataclass(frozen=True)
class _Kind:
    """One chart: its name, and what it takes from an interval."""

    name: str
    title: str
    what: str
    take: Take


def throughput(graph: Graph) -> Chart | None:
    """Ops per second."""
    units = dict.fromkeys(run.unit for run in graph.runs if run.intervals)
    unit = next(iter(units)) if len(units) == 1 else "ops"
    kind = _Kind(
        "throughput-over-time",
        f"Throughput over time, {unit}/s",
        f"{unit}/s",
        lambda each: each.throughput_per_s,
    )
    return _chart(graph, kind)


def latency(graph: Graph) -> Chart | None:
    """The usual percentile of intervals, or their mean where no file has one."""
    every = [each.latency for run in graph.runs for each in run.intervals]
    quantile = usual_quantile(every)
    what = "mean latency in ms" if quantile is None else f"{ordinal(quantile)} latency in ms"

    def take(each: Interval) -> float | None:
        return each.latency.mean_ms if quantile is None else each.latency.at(quantile)

    title = f"Latency over time, {'mean' if quantile is None else ordinal(quantile)} in ms"
    return _chart(graph, _Kind("latency-over-time", title, what, take))


def queue(graph: Graph) -> Chart | None:
    """Ops that waited, in an open load."""
    kind = _Kind("queue-over-time", "Queue over time", "ops waiting", lambda each: each.queue)
    return _chart(graph, kind)


def _chart(graph: Graph, kind: _Kind) -> Chart | None:
    def has(run: Run) -> bool:
        return sum(kind.take(each) is not None for each in run.intervals) > 1

    there = by_level(graph, has)
    drawn = load.spread(there, PANELS_MOST)
    if not drawn:
        return None
    intervals = sum(len(run.intervals) for _, runs in drawn for _, run in runs)
    window = 2 * max(1, math.ceil(intervals / VERTICES_MOST))
    caption = words.over_time(graph, kind.what, has)
    if window > 2:
        caption += f" Drawn are the least and the greatest of every {window} intervals."
    if len(there) > len(drawn):
        caption += f" {len(drawn)} of {len(there)} levels are drawn."
    return Chart(
        name=kind.name,
        title=kind.title,
        label=kind.title.split(",")[0],
        caption=caption,
        spec=_spec(graph, drawn, kind, window, look.WIDE),
        narrow=_spec(graph, drawn, kind, window, look.NARROW),
    )


def _spec(graph: Graph, drawn: list[Level], kind: _Kind, window: int, page: Page) -> Spec:
    arms = Arms(graph.arms)
    columns = grid(len(drawn), page)
    shown = {arm for _, runs in drawn for arm, _ in runs}
    panels = [
        _panel(point.label, _lines(runs, kind.take, window), arms, columns.width_px)
        for point, runs in drawn
    ]
    body = side_by_side(panels, columns, row_px=20)
    views = [legend(arms, shown, page, [], left_px=AXIS_PX, points=False), body]
    return document(kind.title, {"vconcat": views}, page)


def _lines(runs: list[tuple[str, Run]], take: Take, window: int) -> list[dict[str, Any]]:
    """A line per run; an interval without a figure is a gap in it."""
    found = []
    for number, (arm, run) in enumerate(runs):
        known = [(each.end_s, take(each)) for each in run.intervals]
        if window > 2:
            vertices = thinned([(t, v) for t, v in known if v is not None], window)
            known = list(vertices)
        found.append(
            {
                "arm": arm,
                "run": number,
                "t_s": [round(t, 2) for t, _ in known],
                "value": [None if v is None else round(v, 3) for _, v in known],
            }
        )
    return found


def _panel(title: str, lines: list[dict[str, Any]], arms: Arms, width_px: int) -> Spec:
    most = max((v for line in lines for v in line["value"] if v is not None), default=0.0)
    end_s = max((t for line in lines for t in line["t_s"]), default=1.0)
    return {
        "title": heading(title, width_px),
        "width": width_px,
        "height": 110 if width_px < 400 else 180,
        "data": {"values": lines},
        "transform": [
            {"flatten": ["t_s", "value"]},
            {"window": [{"op": "row_number", "as": "place"}], "groupby": ["run"]},
        ],
        "mark": {"type": "line", "strokeWidth": 1.1, "opacity": 0.85, "aria": False}
        | {"invalid": "break-paths-filter-domains"},
        "encoding": {
            "x": time_axis("t_s", end_s),
            "y": count_axis("value", most),
            "color": arms.colour,
            "strokeDash": arms.dash,
            "detail": {"field": "run"},
            "order": {"field": "place", "type": "quantitative"},
        },
    }
