"""Throughput, seconds and latency over connections (or the offered rate), one line per arm.

With a single level there is nothing to draw over: then each arm is a row.
"""

from __future__ import annotations

from typing import Any

from dyno.graph.charts import words
from dyno.graph.charts.points import (
    Panel,
    Spot,
    figure,
    levels_of,
    ordinal,
    points,
    spots,
    usual_quantile,
)
from dyno.graph.charts.rows import rows
from dyno.graph.model import Figure, Graph, Run, Unit
from dyno.report import numbers
from dyno.report.charts import look
from dyno.report.charts.arms import Arms, legend
from dyno.report.charts.chart import Chart, Spec, document
from dyno.report.charts.levels import Levels
from dyno.report.charts.look import Page
from dyno.report.charts.swept import AXIS_PX, marks, value_axis

LOG_FROM = 20.0


def throughput(graph: Graph) -> Chart | None:
    """A panel for each unit: transactions and queries don't share an axis."""
    units = dict.fromkeys(run.unit for run in graph.runs if run.throughput_per_s is not None)
    panels = []
    for unit in units:
        panels.append(_throughput_panel(graph, unit))
    return _chart(graph, "throughput", "Throughput", panels, words.throughput(graph))


def _throughput_panel(graph: Graph, unit: Unit) -> Panel:
    def take(run: Run) -> Figure | None:
        return run.throughput_per_s if run.unit == unit else None

    return Panel(
        title=f"Throughput, {unit}/s",
        way="higher is better",
        noun="throughput",
        spots=_placed(graph, spots(graph, take)),
        shown=lambda value: f"{numbers.rate(value)} {unit}/s",
    )


def seconds(graph: Graph) -> Chart | None:
    """The seconds that mysqlslap itself writes."""
    found = _placed(graph, spots(graph, lambda run: run.seconds))
    positive = [spot.value for spot in found if spot.value > 0]
    log = (
        bool(positive) and len(positive) == len(found) and max(positive) > LOG_FROM * min(positive)
    )
    title = "Seconds to run all queries"
    panel = Panel(
        title=f"{title}, log axis" if log else title,
        way="lower is better",
        noun="time",
        spots=found,
        shown=numbers.seconds,
        log=log,
    )
    return _chart(graph, "seconds", title, [panel], words.seconds(graph))


def latency(graph: Graph) -> Chart | None:
    """The percentile that most runs have; the mean if some runs have nothing else."""
    quantile = usual_quantile([run.latency for run in graph.runs])
    panels = []
    if quantile is not None:
        found = spots(graph, lambda run: figure(run.latency.at(quantile)))
        panels.append(_latency_panel(f"{ordinal(quantile)} latency", _placed(graph, found)))
    if _only_mean(graph, quantile):
        found = spots(graph, lambda run: figure(run.latency.mean_ms))
        panels.append(_latency_panel("Mean latency", _placed(graph, found)))
    return _chart(graph, "latency", "Latency", panels, words.latency(graph, quantile))


def _only_mean(graph: Graph, quantile: float | None) -> bool:
    return any(
        run.latency.mean_ms is not None and (quantile is None or run.latency.at(quantile) is None)
        for run in graph.runs
    )


def _latency_panel(name: str, found: list[Spot]) -> Panel:
    positive = [spot for spot in found if spot.value > 0]
    return Panel(
        title=f"{name}, ms, log axis",
        way="lower is better",
        noun=name[0].lower() + name[1:],
        spots=positive,
        shown=numbers.milliseconds,
        log=True,
    )


def _placed(graph: Graph, found: list[Spot]) -> list[Spot]:
    """With several levels, a run with an unknown level has no place on the axis."""
    known = len(points(graph))
    return [spot for spot in found if known < 2 or spot.point.index < known]


def _chart(graph: Graph, name: str, title: str, panels: list[Panel], caption: str) -> Chart | None:
    panels = [panel for panel in panels if panel.spots]
    if not panels:
        return None
    levels = levels_of(graph)

    def spec(page: Page) -> Spec:
        body = _over(graph, levels, panels, page) if levels else rows(panels, page)
        return document(title, body, page)

    return Chart(
        name=name,
        title=title if levels is None else f"{title}, over {levels.over}",
        label=title,
        caption=caption,
        spec=spec(look.WIDE),
        narrow=spec(look.NARROW),
    )


def _over(graph: Graph, levels: Levels, panels: list[Panel], page: Page) -> Spec:
    arms = Arms(graph.arms)
    shown = {spot.arm for panel in panels for spot in panel.spots}
    views = [legend(arms, shown, page, [], left_px=AXIS_PX)]
    for place, panel in enumerate(panels):
        views.append(_panel(panel, arms, levels, page, last=place == len(panels) - 1))
    return {"vconcat": views}


def _panel(panel: Panel, arms: Arms, levels: Levels, page: Page, *, last: bool) -> Spec:
    plot_px = page.width_px - 20 - AXIS_PX
    place = levels.placed(arms.names, plot_px)
    found = (end for spot in panel.spots for end in (spot.value, spot.low, spot.high))
    y = value_axis([end for end in found if end is not None], log=panel.log)
    height_px = 300 - (70 if page.narrow else 0)
    return {
        "title": {
            "text": panel.title,
            "subtitle": panel.way,
            "anchor": "start",
            "frame": "group",
            "offset": 8,
        },
        "width": plot_px,
        "height": height_px,
        "data": {"values": [_value(spot, panel, levels, place) for spot in panel.spots]},
        "layer": marks(arms, levels.x("x", last=last), y),
    }


def _value(
    spot: Spot, panel: Panel, levels: Levels, place: dict[tuple[str, int], float]
) -> dict[str, Any]:
    ends = (
        {"low": spot.low, "high": spot.high}
        if spot.low is not None and spot.high is not None and (spot.low > 0 or not panel.log)
        else {}
    )
    return {
        "arm": spot.arm,
        "level": levels.level_of(spot.point),
        "x": round(place[spot.arm, spot.point.index], 4),
        "value": spot.value,
        **ends,
        "n": spot.n,
        "words": words.spot(spot, panel.noun, panel.shown),
    }
