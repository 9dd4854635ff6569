"""The chart of latency by percentile: the far tail gets as much room as the middle."""

from __future__ import annotations

from typing import Any

from dyno.analysis.load.model import LatencyRead, PointRead
from dyno.analysis.model import Findings
from dyno.report import load, numbers
from dyno.report.charts import look, tail
from dyno.report.charts.arms import arms_of, legend
from dyno.report.charts.chart import Chart, Spec, document
from dyno.report.charts.look import Page
from dyno.report.charts.panels import AXIS_PX, grid, heading, side_by_side

PANELS_MOST = 9

LatencyPanel = tuple[str, PointRead, list[LatencyRead]]


def chart(findings: Findings) -> Chart | None:
    """Latency by percentile at the smallest, the middle and the largest point."""
    drawn = _panels(findings)
    if not drawn:
        return None
    return Chart(
        name="latency",
        title="Latency, by percentile",
        caption=_caption(findings, drawn),
        spec=_spec(findings, drawn, look.WIDE),
        narrow=_spec(findings, drawn, look.NARROW),
    )


def _panels(findings: Findings) -> list[LatencyPanel]:
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
    return _most_asked(found)


def _most_asked(found: list[LatencyPanel]) -> list[LatencyPanel]:
    """As many as there is room for: with several ops the most frequent ones, in their order."""
    counts: dict[str, int] = {}
    for op, _, reads in found:
        counts[op] = counts.get(op, 0) + sum(read.count for read in reads)
    order = sorted(found, key=lambda drawn: -counts[drawn[0]])[:PANELS_MOST]
    return [drawn for drawn in found if drawn in order]


def _caption(findings: Findings, drawn: list[LatencyPanel]) -> str:
    said = [
        "All ops of all good trials of an arm at a point, merged. The percentile axis widens "
        "towards the slow ops; max is the slowest op seen, which grows with their number. Lower "
        "is better; log axis."
    ]
    there = {(read.op, read.point) for read in findings.latency if read.points}
    if len(there) > len(drawn):
        which = " of the most frequent ops" if len({op for op, _ in there}) > 1 else ""
        said.append(f"{len(drawn)} of {len(there)} points are drawn{which}, all are in the table.")
    return " ".join(said)


def _spec(findings: Findings, drawn: list[LatencyPanel], page: Page) -> Spec:
    arms = arms_of(findings)
    columns = grid(len(drawn), page)
    shown = {read.arm for _, _, reads in drawn for read in reads}
    axes = tail.tail(place for _, _, reads in drawn for read in reads for place in read.points)
    panels = [
        tail.panel(
            heading(load.heading(findings, point, op), columns.width_px),
            [value for read in reads for value in _values(read, axes)],
            arms,
            axes,
            columns.width_px,
        )
        for op, point, reads in drawn
    ]
    views = [legend(arms, shown, page, [], left_px=AXIS_PX), side_by_side(panels, columns)]
    return document("Latency by percentile", {"vconcat": views}, page)


def _values(read: LatencyRead, axes: tail.Tail) -> list[dict[str, Any]]:
    """The points of one arm; the last quantile is on both the line and the segment to the max."""
    ordered = sorted(read.points)
    inside = [quantile for quantile, _ in ordered if quantile < 1]
    return [
        {
            "arm": read.arm,
            "line": read.arm,
            "quantile": quantile,
            "place": axes.place(quantile),
            "ms": ms,
            "part": tail.part_of(quantile, inside),
            "words": f"{read.arm}: {_named(quantile)} {numbers.milliseconds(ms)}, "
            f"{read.count:,} ops",
        }
        for quantile, ms in ordered
        if ms > 0
    ]


def _named(quantile: float) -> str:
    return "slowest" if quantile == 1 else f"{load.percentile(quantile)} within"
