"""Latency by percentile, a panel per level, a line per run, with as much room for the far tail.

Only runs with at least two percentiles; a single one is drawn over the levels.
"""

from __future__ import annotations

from typing import Any

from dyno.graph.charts import words
from dyno.graph.charts.levels import Level, by_level
from dyno.graph.charts.points import ordinal
from dyno.graph.model import Graph, Run
from dyno.report import load, numbers
from dyno.report.charts import look, tail
from dyno.report.charts.arms import Arms, legend
from dyno.report.charts.chart import Chart, Spec, document
from dyno.report.charts.look import Page
from dyno.report.charts.panels import AXIS_PX, grid, heading, side_by_side

PANELS_MOST = 6


def chart(graph: Graph) -> Chart | None:
    """None where no run has two percentiles."""
    there = by_level(graph, lambda run: sum(0 < q < 1 for q, _ in run.latency.quantiles) > 1)
    drawn = load.spread(there, PANELS_MOST)
    if not drawn:
        return None
    return Chart(
        name="percentiles",
        title="Latency, by percentile",
        label="Percentiles",
        caption=words.percentiles(graph, len(drawn), len(there)),
        spec=_spec(graph, drawn, look.WIDE),
        narrow=_spec(graph, drawn, look.NARROW),
    )


def _spec(graph: Graph, drawn: list[Level], page: Page) -> Spec:
    arms = Arms(graph.arms)
    columns = grid(len(drawn), page)
    shown = {arm for _, runs in drawn for arm, _ in runs}
    axes = tail.tail(place for _, runs in drawn for _, run in runs for place in _places(run))
    panels = [
        tail.panel(
            heading(point.label, columns.width_px),
            _values(runs, axes),
            arms,
            axes,
            columns.width_px,
        )
        for point, runs in drawn
    ]
    views = [legend(arms, shown, page, [], left_px=AXIS_PX), side_by_side(panels, columns)]
    return document("Latency by percentile", {"vconcat": views}, page)


def _places(run: Run) -> list[tuple[float, float]]:
    """The percentiles that have a place on log axes, then the slowest op."""
    inside = [(q, ms) for q, ms in run.latency.quantiles if 0 < q < 1 and ms > 0]
    top = run.latency.max_ms
    return [*inside, (1.0, top)] if top is not None and top > 0 and inside else inside


def _values(runs: list[tuple[str, Run]], axes: tail.Tail) -> list[dict[str, Any]]:
    """The places of each run, which has its own line."""
    found = []
    for number, (arm, run) in enumerate(runs):
        places = _places(run)
        inside = [quantile for quantile, _ in places if quantile < 1]
        for quantile, ms in places:
            name = "slowest" if quantile == 1 else ordinal(quantile)
            found.append(
                {
                    "arm": arm,
                    "line": number,
                    "quantile": quantile,
                    "place": axes.place(quantile),
                    "ms": ms,
                    "part": tail.part_of(quantile, inside),
                    "words": f"{arm}: {name} {numbers.milliseconds(ms)}",
                }
            )
    return found
