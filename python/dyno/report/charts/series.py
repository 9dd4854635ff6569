"""The chart of throughput over time: a small panel per point, a thin line per trial.

Long runs are thinned to the least and the greatest second of each window, so that stalls remain.
"""

from __future__ import annotations

import math
from typing import Any

from dyno.analysis.load.model import PointRead, SeriesRead
from dyno.analysis.model import Findings
from dyno.report import load
from dyno.report.charts import look
from dyno.report.charts.arms import Arms, Note, arms_of, legend
from dyno.report.charts.chart import Chart, Spec, document
from dyno.report.charts.look import Page
from dyno.report.charts.panels import AXIS_PX, count_axis, grid, heading, side_by_side, time_axis

PANELS_MOST = 9
LINES_MOST = 25
VERTICES_MOST = 7_000
GAP: tuple[None, None] = (None, None)
CUT: Spec = {"type": "rule", "strokeWidth": 1.6, "color": look.AXIS}

Vertex = tuple[float | None, float | None]


def chart(findings: Findings) -> Chart | None:
    """Throughput second by second; None if no trial has it."""
    drawn = _panels(findings)
    if not drawn:
        return None
    window = _window(drawn)
    return Chart(
        name="series",
        label="Over time",
        title="Throughput over time",
        caption=_caption(findings, drawn, window),
        spec=_spec(findings, drawn, window, look.WIDE),
        narrow=_spec(findings, drawn, window, look.NARROW),
    )


def _panels(findings: Findings) -> list[tuple[PointRead, list[SeriesRead]]]:
    """The panels: points with the series to draw, at most n of each."""
    there = {read.point for read in findings.series if len(read.t_s) > 1}
    points = [point for point in load.points_of(findings) if point.index in there]
    found = []
    for point in load.spread(points, PANELS_MOST):
        here = [r for r in findings.series if r.point == point.index and len(r.t_s) > 1]
        blocks = sorted({read.block for read in here})
        most = max(1, LINES_MOST // max(len({read.arm for read in here}), 1))
        kept = set(load.spread(blocks, most))
        found.append((point, [read for read in here if read.block in kept]))
    return found


def _window(drawn: list[tuple[PointRead, list[SeriesRead]]]) -> int:
    """How many seconds become two vertices: 2 if every second is drawn."""
    seconds = sum(len(read.t_s) for _, reads in drawn for read in reads)
    return 2 * max(1, math.ceil(seconds / VERTICES_MOST))


def _caption(
    findings: Findings, drawn: list[tuple[PointRead, list[SeriesRead]]], window: int
) -> str:
    said = [
        "Each panel is one point, each thin line one trial: ok ops in every second, against the "
        "seconds since the measured phase began. Higher is better. Every panel has its own "
        "vertical axis, from 0."
    ]
    if any(read.cut_s > 0 for _, reads in drawn for read in reads):
        said.append("The grey beginning is warm-up, which the figures leave out.")
    if window > 2:
        said.append(f"Drawn are the least and the greatest second of every {window} s.")
    points = len({read.point for read in findings.series})
    if points > len(drawn):
        said.append(f"{len(drawn)} of {points} points are drawn.")
    lines = sum(len(reads) for _, reads in drawn)
    drawn_points = {point.index for point, _ in drawn}
    there = sum(r.point in drawn_points and len(r.t_s) > 1 for r in findings.series)
    if there > lines:
        said.append(f"{lines:,} of {there:,} trials are drawn, spread over the run's blocks.")
    return " ".join(said)


def _spec(
    findings: Findings,
    drawn: list[tuple[PointRead, list[SeriesRead]]],
    window: int,
    page: Page,
) -> Spec:
    arms = arms_of(findings)
    columns = grid(len(drawn), page)
    shown = {read.arm for _, reads in drawn for read in reads}
    cut = any(read.cut_s > 0 for _, reads in drawn for read in reads)
    notes = [Note("left out as warm-up", CUT)] if cut else []
    panels = [_panel(point, reads, arms, window, columns.width_px) for point, reads in drawn]
    head = legend(arms, shown, page, notes, left_px=AXIS_PX, points=False)
    views = [head, side_by_side(panels, columns)]
    return document("Throughput over time", {"vconcat": views}, page)


def _panel(
    point: PointRead, reads: list[SeriesRead], arms: Arms, window: int, width_px: int
) -> Spec:
    values = _lines(reads, window)
    most = max(value for read in reads for value in read.ops_per_s)
    end = max(read.t_s[-1] for read in reads)
    x, y = time_axis("t_s", end), count_axis("ops_per_s", most)
    return {
        "title": heading(point.label, width_px),
        "width": width_px,
        "height": 96 if width_px < 400 else 180,
        "data": {"values": values},
        "layer": [_layer(part, x, y, arms) for part in ("cut", "kept")],
    }


def _layer(part: str, x: Spec, y: Spec, arms: Arms) -> Spec:
    """All lines of one part; an arm's trials are one path with gaps, to keep it small."""
    mark: Spec = {"type": "line", "strokeWidth": 0.9, "aria": False}
    mark |= {"invalid": "break-paths-filter-domains"}
    colour: Spec = arms.colour
    if part == "cut":
        mark |= {"color": look.AXIS, "opacity": 0.7}
        colour = {"value": look.AXIS}
    return {
        "transform": [
            {"filter": f"datum.part === '{part}'"},
            {"flatten": ["t_s", "ops_per_s"]},
            {"window": [{"op": "row_number", "as": "place"}], "groupby": ["arm"]},
        ],
        "mark": mark if part == "cut" else {**mark, "opacity": 0.8},
        "encoding": {
            "x": x,
            "y": y,
            "color": colour,
            "strokeDash": arms.dash,
            "detail": {"field": "arm"},
            "order": {"field": "place", "type": "quantitative"},
        },
    }


def _lines(reads: list[SeriesRead], window: int) -> list[dict[str, Any]]:
    """Each arm's trials as up to two lines: the warm-up that was cut, and the rest from there on.

    The trials follow each other, separated by nulls; `blocks` says which they are.
    """
    found = []
    for arm in dict.fromkeys(read.arm for read in reads):
        mine = [read for read in reads if read.arm == arm]
        parts = [halves(read, window) for read in mine]
        for place, part in enumerate(("cut", "kept")):
            vertices = [v for half in parts if half[place] for v in (*half[place], GAP)][:-1]
            if vertices:
                found.append(
                    {
                        "arm": arm,
                        "part": part,
                        "blocks": [read.block for read in mine],
                        "t_s": [None if t is None else round(t, 2) for t, _ in vertices],
                        "ops_per_s": [None if v is None else round(v, 1) for _, v in vertices],
                    }
                )
    return found


def halves(read: SeriesRead, window: int) -> tuple[list[Vertex], list[Vertex]]:
    """The vertices of the cut part, up to the first kept one, and those of the kept part."""
    vertices = thinned(list(zip(read.t_s, read.ops_per_s, strict=True)), window)
    kept_from = next((i for i, (t, _) in enumerate(vertices) if t > read.cut_s), len(vertices))
    return [*vertices[: kept_from + 1]] if kept_from else [], [*vertices[kept_from:]]


def thinned(seconds: list[tuple[float, float]], window: int) -> list[tuple[float, float]]:
    """The least and the greatest second of every `window` seconds, in order; 2 keeps them all."""
    if window <= 2:
        return seconds
    found = []
    for begin in range(0, len(seconds), window):
        part = seconds[begin : begin + window]
        ends = {min(part, key=lambda s: s[1]), max(part, key=lambda s: s[1])}
        found += sorted(ends)
    return found
