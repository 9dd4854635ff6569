"""The chart of reported progress: what the server said over the true share of a task's time.

The truth is the diagonal; above it the server said too much, below it too little.
"""

from __future__ import annotations

from typing import Any

from dyno.analysis.load.model import PointRead
from dyno.analysis.model import Findings
from dyno.analysis.tasks.model import ProgressCurve
from dyno.report import load
from dyno.report.charts import look
from dyno.report.charts.arms import Arms, Note, arms_of, legend
from dyno.report.charts.chart import Chart, Spec, document
from dyno.report.charts.look import Page
from dyno.report.charts.panels import AXIS_PX, grid, heading, side_by_side, upright

PANELS_MOST = 9
# How many lines an arm has; more would hide each other.
LINES_MOST = 8
TRUTH: Spec = {"type": "rule", "strokeWidth": 1.4, "strokeDash": [4, 3], "color": look.AXIS}
CORNERS = [{"share_pct": 0, "truth_pct": 0}, {"share_pct": 100, "truth_pct": 100}]

ProgressPanel = tuple[str, list[ProgressCurve]]


def chart(findings: Findings) -> Chart | None:
    """Reported against true progress; None if no server reported any."""
    drawn = _panels(findings)
    if not drawn:
        return None
    return Chart(
        name="progress",
        label="Reported progress",
        title="Reported progress, against the truth",
        caption=_caption(findings, drawn),
        spec=_spec(findings, drawn, look.WIDE),
        narrow=_spec(findings, drawn, look.NARROW),
    )


def _panels(findings: Findings) -> list[ProgressPanel]:
    """A panel per task, and per point if there are several; at most n trials of each arm."""
    curves = findings.tasks.curves if findings.tasks else []
    points = load.points_of(findings)
    found = []
    for task in dict.fromkeys(curve.task for curve in curves):
        for point in points:
            here = [c for c in curves if (c.task, c.point) == (task, point.index)]
            if here:
                found.append((_title(task, point, points), _few(here)))
    return load.spread(found, PANELS_MOST)


def _title(task: str, point: PointRead, points: list[PointRead]) -> str:
    return f"{task}, {point.label}" if len(points) > 1 else task


def _few(curves: list[ProgressCurve]) -> list[ProgressCurve]:
    arms = dict.fromkeys(curve.arm for curve in curves)
    return [
        curve
        for arm in arms
        for curve in load.spread([c for c in curves if c.arm == arm], LINES_MOST)
    ]


def _caption(findings: Findings, drawn: list[ProgressPanel]) -> str:
    said = [
        "Each thin line is one trial: the share that the server reported, upwards, over the share "
        "of the task's time that had gone by. On the dashed line it was right; above it, it "
        "reported more than was done. Nearer to the dashed line is better."
    ]
    curves = findings.tasks.curves if findings.tasks else []
    lines = sum(len(here) for _, here in drawn)
    if len(curves) > lines:
        said.append(f"{lines:,} of {len(curves):,} trials are drawn.")
    return " ".join(said)


def _spec(findings: Findings, drawn: list[ProgressPanel], page: Page) -> Spec:
    arms = arms_of(findings)
    columns = grid(len(drawn), page)
    shown = {curve.arm for _, curves in drawn for curve in curves}
    panels = [_panel(title, curves, arms, columns.width_px) for title, curves in drawn]
    notes = [Note("the truth", TRUTH)]
    head = legend(arms, shown, page, notes, left_px=AXIS_PX, points=False)
    views = [head, side_by_side(panels, columns)]
    return document("Reported progress", {"vconcat": views}, page)


def _panel(title: str, curves: list[ProgressCurve], arms: Arms, width_px: int) -> Spec:
    x = _axis("share_pct")
    return {
        "title": heading(title, width_px),
        "width": width_px,
        "height": min(width_px, 240),
        "layer": [
            {
                "data": {"values": CORNERS},
                "mark": {"type": "line", "aria": False, "strokeWidth": 1.4}
                | {"strokeDash": [4, 3], "color": look.AXIS},
                "encoding": {"x": x, "y": _axis("truth_pct", up=True)},
            },
            {
                "data": {"values": _lines(curves)},
                "transform": [
                    {"flatten": ["share_pct", "reported_pct"]},
                    {"window": [{"op": "row_number", "as": "place"}], "groupby": ["arm"]},
                ],
                "mark": {"type": "line", "strokeWidth": 1.1, "opacity": 0.85, "aria": False}
                | {"invalid": "break-paths-filter-domains"},
                "encoding": {
                    "x": x,
                    "y": _axis("reported_pct", up=True),
                    "color": arms.colour,
                    "strokeDash": arms.dash,
                    "detail": {"field": "arm"},
                    "order": {"field": "place", "type": "quantitative"},
                },
            },
        ],
    }


def _lines(curves: list[ProgressCurve]) -> list[dict[str, Any]]:
    """Each arm's trials as one path with gaps, to keep it small."""
    found = []
    for arm in dict.fromkeys(curve.arm for curve in curves):
        mine = [curve for curve in curves if curve.arm == arm]
        places: list[tuple[float | None, float | None]] = []
        for curve in mine:
            places += [*curve.places, (None, None)]
        found.append(
            {
                "arm": arm,
                "blocks": [curve.block for curve in mine],
                "share_pct": [share for share, _ in places[:-1]],
                "reported_pct": [reported for _, reported in places[:-1]],
            }
        )
    return found


def _axis(field: str, *, up: bool = False) -> Spec:
    """Per cent from 0 to 100; upwards with room for the labels, so that panels are aligned."""
    place: Spec = upright() if up else {"title": None, "grid": False, "labelFlush": False}
    return {
        "field": field,
        "type": "quantitative",
        "scale": {"domain": [0, 100], "nice": False},
        "axis": {**place, "values": [0, 25, 50, 75, 100], "labelExpr": "datum.label + ' %'"},
    }
