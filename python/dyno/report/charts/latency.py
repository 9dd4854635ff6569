"""The picture of latency by percentile: the far tail gets as much room as the middle."""

from __future__ import annotations

from typing import Any

from dyno.analysis.model import Findings, LatencyRead, PointRead
from dyno.report import load, numbers
from dyno.report.charts import look
from dyno.report.charts.arms import Arms, arms_of, legend
from dyno.report.charts.chart import Chart, Spec, document
from dyno.report.charts.look import Page
from dyno.report.charts.stack import clipped

PANELS_MOST = 9
GAP_PX = 22
AXIS_PX = 52
# What stands beyond the outer panels: padding, and half of the last label.
EDGES_PX = 40
TICKS = (0.5, 0.9, 0.99, 0.999, 0.9999)
# How far right of the last percentile the maximum stands: one power of ten.
MAX_APART = 10.0

Drawn = tuple[str, PointRead, list[LatencyRead]]


def chart(findings: Findings) -> Chart | None:
    """Latency by percentile at the smallest, the middle and the largest point."""
    drawn = _drawn(findings)
    if not drawn:
        return None
    return Chart(
        name="latency",
        title="Latency, by percentile",
        caption=_caption(findings, drawn),
        spec=_spec(findings, drawn, look.WIDE),
        narrow=_spec(findings, drawn, look.NARROW),
    )


def _drawn(findings: Findings) -> list[Drawn]:
    there = {read.point for read in findings.latency if read.points}
    points = [point for point in load.points_of(findings) if point.index in there]
    found = []
    for op in load.ops_with(findings, (read.op for read in findings.latency)):
        for point in load.spread(points, load.CHOSEN_POINTS):
            here = [
                r for r in findings.latency if (r.op, r.point) == (op, point.index) and r.points
            ]
            if here:
                found.append((op, point, here))
    return found[:PANELS_MOST]


def _caption(findings: Findings, drawn: list[Drawn]) -> str:
    said = [
        "All ops of all good trials of an arm at a point, merged. The percentile axis widens "
        "towards the slow ops; max is the slowest op seen, which grows with their number. Lower "
        "is better; log axis."
    ]
    there = {(read.op, read.point) for read in findings.latency if read.points}
    if len(there) > len(drawn):
        said.append(f"{len(drawn)} of {len(there)} points are drawn, all are in the table.")
    return " ".join(said)


def _spec(findings: Findings, drawn: list[Drawn], page: Page) -> Spec:
    arms = arms_of(findings)
    columns = 1 if page.narrow else min(3, len(drawn))
    width_px = (page.width_px - EDGES_PX - columns * AXIS_PX - (columns - 1) * GAP_PX) // columns
    shown = {read.arm for _, _, reads in drawn for read in reads}
    places = [p for _, _, reads in drawn for read in reads for p in read.points]
    values_ms = [ms for _, ms in places if ms > 0] or [1.0]
    domain_ms = (min(values_ms) / 1.3, max(values_ms) * 1.3)
    last = 1 / (1 - max([q for q, _ in places if q < 1], default=0.5))
    titles = [load.heading(findings, point, op) for op, point, _ in drawn]
    panels = [
        _panel(clipped(title, width_px // 7), reads, arms, domain_ms, last, width_px)
        for title, (_, _, reads) in zip(titles, drawn, strict=True)
    ]
    body: Spec = {
        "concat": panels,
        "columns": columns,
        "spacing": {"row": 16, "column": GAP_PX},
    }
    return document(
        "Latency by percentile",
        {"vconcat": [legend(arms, shown, page, [], left_px=AXIS_PX), body]},
        page,
    )


def _panel(
    title: str,
    reads: list[LatencyRead],
    arms: Arms,
    domain_ms: tuple[float, float],
    last: float,
    width_px: int,
) -> Spec:
    most = last * MAX_APART
    ticks = {1 / (1 - q): f"{q * 100:g}" for q in TICKS if 1 / (1 - q) <= last * 1.001}
    ticks[most] = "max"
    labels = " : ".join(f"datum.value < {x * 1.5:g} ? '{text}'" for x, text in ticks.items())
    x = {
        "field": "place",
        "type": "quantitative",
        "scale": {"type": "log", "domain": [1.8, most * 1.15], "nice": False},
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
        "title": {
            "text": title,
            "anchor": "start",
            "fontSize": look.TEXT_PX,
            "frame": "group",
            "offset": 6,
        },
        "width": width_px,
        "height": 230,
        "data": {"values": [value for read in reads for value in _values(read, most)]},
        "layer": _layers(arms, x, y),
    }


def _layers(arms: Arms, x: Spec, y: Spec) -> list[Spec]:
    at = {"x": x, "y": y, "color": arms.colour}
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


def _values(read: LatencyRead, most: float) -> list[dict[str, Any]]:
    """The places of one arm; the last quantile belongs to the line and to the way to the max."""
    ordered = sorted(read.points)
    inside = [quantile for quantile, _ in ordered if quantile < 1]
    return [
        {
            "arm": read.arm,
            "quantile": quantile,
            "place": round(1 / (1 - quantile), 4) if quantile < 1 else most,
            "ms": ms,
            "part": "max" if quantile == 1 else "both" if quantile == inside[-1] else "quantile",
            "words": f"{read.arm}: {_named(quantile)} {numbers.milliseconds(ms)}, "
            f"{read.count:,} ops",
        }
        for quantile, ms in ordered
        if ms > 0
    ]


def _named(quantile: float) -> str:
    return "slowest" if quantile == 1 else f"{load.percentile(quantile)} within"
