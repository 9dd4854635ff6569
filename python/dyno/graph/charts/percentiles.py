"""Latency by percentile, a panel a level, a line a run: the far tail gets as much room as the rest.

Only runs that hold at least two percentiles; a single one is drawn over the levels.
"""

from __future__ import annotations

from typing import Any

from dyno.analysis.model import PointRead
from dyno.graph.charts import words
from dyno.graph.charts.panels import AXIS_PX, EDGES_PX, GAP_PX, by_level, heading
from dyno.graph.charts.points import ordinal
from dyno.graph.model import Graph, Run
from dyno.report import load, numbers
from dyno.report.charts import look
from dyno.report.charts.arms import Arms, legend
from dyno.report.charts.chart import Chart, Spec, document
from dyno.report.charts.look import Page

PANELS_MOST = 6
TICKS = (0.5, 0.9, 0.99, 0.999, 0.9999)
MAX_APART = 10.0
Drawn = tuple[PointRead, list[tuple[str, Run]]]


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


def _spec(graph: Graph, drawn: list[Drawn], page: Page) -> Spec:
    arms = Arms(graph.arms)
    columns = 1 if page.narrow else min(3, len(drawn))
    width_px = (page.width_px - EDGES_PX - columns * AXIS_PX - (columns - 1) * GAP_PX) // columns
    shown = {arm for _, runs in drawn for arm, _ in runs}
    quantiles = [q for _, runs in drawn for _, run in runs for q, _ in run.latency.quantiles]
    last = max(1 / (1 - q) for q in quantiles if q < 1)
    values = [_values(runs, last * MAX_APART) for _, runs in drawn]
    every_ms = [value["ms"] for each in values for value in each] or [1.0]
    domain_ms = (min(every_ms) / 1.3, max(every_ms) * 1.3)
    panels = [
        _panel(heading(point, width_px), each, arms, domain_ms, last, width_px)
        for (point, _), each in zip(drawn, values, strict=True)
    ]
    body: Spec = {"concat": panels, "columns": columns, "spacing": {"row": 16, "column": GAP_PX}}
    views = [legend(arms, shown, page, [], left_px=AXIS_PX), body]
    return document("Latency by percentile", {"vconcat": views}, page)


def _values(runs: list[tuple[str, Run]], most: float) -> list[dict[str, Any]]:
    """The places of each run; the way from its last percentile to the slowest op is dotted."""
    found = []
    for number, (arm, run) in enumerate(runs):
        inside = [(q, ms) for q, ms in run.latency.quantiles if 0 < q < 1 and ms > 0]
        top = run.latency.max_ms
        ends = [(1.0, top)] if top is not None and top > 0 and inside else []
        for quantile, ms in [*inside, *ends]:
            part = "max" if quantile == 1 else "both" if quantile == inside[-1][0] else "quantile"
            name = "slowest" if quantile == 1 else ordinal(quantile)
            found.append(
                {
                    "arm": arm,
                    "run": number,
                    "quantile": quantile,
                    "place": most if quantile == 1 else round(1 / (1 - quantile), 4),
                    "ms": ms,
                    "part": part,
                    "words": f"{arm}: {name} {numbers.milliseconds(ms)}",
                }
            )
    return found


def _panel(
    title: Spec,
    values: list[dict[str, Any]],
    arms: Arms,
    domain_ms: tuple[float, float],
    last: float,
    width_px: int,
) -> Spec:
    most = last * MAX_APART
    ticks = {1 / (1 - q): f"{q * 100:g}" for q in TICKS if 1 / (1 - q) <= last * 1.001}
    ticks[most] = "max"
    labels = " : ".join(f"datum.value < {x * 1.5:g} ? '{text}'" for x, text in ticks.items())
    low = min((value["place"] for value in values), default=2.0)
    x = {
        "field": "place",
        "type": "quantitative",
        "scale": {"type": "log", "domain": [min(1.8, low * 0.95), most * 1.15], "nice": False},
        "axis": {
            "title": "percentile",
            "values": list(ticks),
            "labelExpr": f"{labels} : ''",
            "grid": True,
            "domain": False,
            "labelOverlap": False,
        },
    }
    y = {
        "field": "ms",
        "type": "quantitative",
        "scale": {"type": "log", "domain": list(domain_ms), "nice": False},
        "axis": {
            "title": None,
            "values": look.steps(*domain_ms),
            "labelExpr": "datum.value >= 1000 ? format(datum.value / 1000, '~r') + ' s'"
            " : format(datum.value, '~r') + ' ms'",
            "grid": True,
            "domain": False,
            "ticks": False,
            "minExtent": AXIS_PX - 8,
            "maxExtent": AXIS_PX - 8,
        },
    }
    return {
        "title": title,
        "width": width_px,
        "height": 230,
        "data": {"values": values},
        "layer": _layers(arms, x, y),
    }


def _layers(arms: Arms, x: Spec, y: Spec) -> list[Spec]:
    at = {"x": x, "y": y, "color": arms.colour, "detail": {"field": "run"}}
    line: Spec = {"type": "line", "strokeWidth": 1.5, "aria": False}
    return [
        {
            "transform": [{"filter": "datum.part != 'max'"}],
            "mark": line,
            "encoding": {**at, "strokeDash": arms.dash},
        },
        {
            "transform": [{"filter": "datum.part != 'quantile'"}],
            "mark": {**line, "strokeWidth": 1, "strokeDash": [1, 3]},
            "encoding": at,
        },
        {
            "mark": {"type": "point", "filled": True, "size": 30, "opacity": 1},
            "encoding": {**at, "shape": arms.shape, "description": {"field": "words"}},
        },
    ]
