"""Throughput over connections or rates: lines with bars per arm, the law, and p95 latency below."""

from __future__ import annotations

from typing import Any

from dyno.analysis.load.model import Figure, ScalingRead
from dyno.analysis.model import Findings
from dyno.report import load, metrics
from dyno.report.charts import look
from dyno.report.charts.arms import Arms, Note, arms_of, legend
from dyno.report.charts.chart import Spec, document
from dyno.report.charts.law import CURVE, curves, fitted
from dyno.report.charts.levels import Levels
from dyno.report.charts.look import Page
from dyno.report.charts.swept import AXIS_PX, marks, value_axis
from dyno.spec.metrics import METRICS, MetricKey

RING: Spec = {"type": "point", "filled": False, "size": 150, "strokeWidth": 1.4, "stroke": look.INK}
N95: Spec = {
    "transform": [{"filter": "datum.n95 == 'yes'"}],
    "mark": {**RING, "aria": False},
}
OFFERED: Spec = {"type": "rule", "strokeWidth": 1.2, "strokeDash": [6, 4], "color": look.EVEN}


def with_latency(findings: Findings) -> bool:
    """Whether p95 is drawn too; with several ops there would be too many panels, and one of them
    can't stand for all.
    """
    if metrics.headline(findings) == "total_throughput" or len(load.ops_with_rate(findings)) > 1:
        return False
    return any(figure.metric == "p95" for figure in load.of_all_blocks(findings))


def over_levels(findings: Findings, levels: Levels, page: Page) -> Spec:
    """Throughput over the levels, and with one op the p95 latency below it."""
    arms = arms_of(findings)
    shown = {figure.arm for figure in findings.figures}
    notes = []
    if any(read.n95 is not None for read in findings.scaling):
        notes.append(Note("N95", RING))
    if fitted(findings.scaling):
        notes.append(Note("the law, fitted", CURVE))
    if levels.of_rate:
        notes.append(Note("as offered", OFFERED))
    views = [legend(arms, shown, page, notes, left_px=AXIS_PX)]
    rate = metrics.headline(findings)
    kinds: list[MetricKey] = [rate, "p95"] if with_latency(findings) else [rate]
    panels = [(op, metric) for op in load.ops_with_rate(findings) for metric in kinds]
    for op, metric in panels:
        last = (op, metric) == panels[-1]
        views.append(_panel(findings, arms, levels, op, metric, page, last=last))
    return document(f"{METRICS[rate].title} over {levels.over}", {"vconcat": views}, page)


def _panel(
    findings: Findings,
    arms: Arms,
    levels: Levels,
    op: str,
    metric: MetricKey,
    page: Page,
    *,
    last: bool,
) -> Spec:
    plot_px = page.width_px - 20 - AXIS_PX
    is_rate = METRICS[metric].is_rate
    scaling = [r for r in findings.scaling if r.op == op] if is_rate else []
    drawn = [f for f in load.of_all_blocks(findings) if (f.op, f.metric) == (op, metric)]
    place = levels.placed(arms.names, plot_px)
    values = [_point(figure, findings, levels, scaling, place) for figure in drawn]
    ends = [end for f in drawn for end in (f.median.value, *(f.median.interval or ()))]
    if is_rate and levels.of_rate:
        ends += levels.values
    y = value_axis(ends, log=not is_rate)
    words = METRICS[metric]
    head = _head(findings, op, metric)
    height_px = (300 if is_rate else 170) - (70 if page.narrow else 0)
    return {
        "title": {
            "text": head,
            "subtitle": words.way,
            "anchor": "start",
            "frame": "group",
            "offset": 8,
        },
        "width": plot_px,
        "height": max(height_px, 130),
        "data": {"values": values},
        "layer": [
            *levels.cores_rule(findings, named=is_rate, last=last),
            *(_offered(levels, y, last=last) if is_rate else []),
            *curves(scaling, arms, levels, y, last=last, times=METRICS[metric].per_s),
            *marks(arms, levels.x("x", last=last), y, [N95]),
        ],
    }


def _head(findings: Findings, op: str, metric: MetricKey) -> str:
    """What a panel shows, with its unit unless that is also its name."""
    words = METRICS[metric]
    if words.is_named_by_unit:
        return words.title
    unit = words.unit if words.is_rate else f"{words.unit}, log axis"
    named = len(findings.ops) > 1 and METRICS[metric].owner != "all ops"
    name = f"{op}: {words.noun}" if named else words.title
    return f"{name}, {unit}"


def _point(
    figure: Figure,
    findings: Findings,
    levels: Levels,
    scaling: list[ScalingRead],
    place: dict[tuple[str, int], float],
) -> dict[str, Any]:
    point = next(p for p in findings.points if p.index == figure.point)
    level = levels.level_of(point)
    n95 = next((read.n95 for read in scaling if read.arm == figure.arm), None)
    interval = load.bounds(figure)
    low, high = figure.median.bounds
    shown = metrics.shown(figure, figure.median.value) + (f" ({interval})" if interval else "")
    metric = METRICS[figure.metric]
    noun = "" if metric.is_named_by_unit else f"{metric.noun} "
    return {
        "arm": figure.arm,
        "level": level,
        "x": round(place[figure.arm, figure.point], 4),
        "value": figure.median.value,
        **({"low": low, "high": high} if interval else {}),
        "n": figure.n,
        "n95": "yes" if n95 is not None and level == n95 else "no",
        "words": f"{figure.arm}, {point.label}: {noun}{shown}, n = {figure.n}",
    }


def _offered(levels: Levels, y: Spec, *, last: bool) -> list[Spec]:
    """The rate itself: an arm below it did not keep up."""
    if not levels.of_rate:
        return []
    return [
        {
            "data": {"values": [{"rate": level} for level in levels.values]},
            "mark": {**OFFERED, "type": "line", "aria": False},
            "encoding": {"x": levels.x("rate", last=last), "y": {**y, "field": "rate"}},
        }
    ]
