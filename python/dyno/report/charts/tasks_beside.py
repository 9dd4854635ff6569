"""The chart of a load with tasks beside it: throughput over time, the tasks' spans shaded.

One typical trial per arm, to show in time what a task did; figures are in the tables.
"""

from __future__ import annotations

from typing import Any

from dyno.analysis.load.model import SeriesRead
from dyno.analysis.model import Findings
from dyno.analysis.tasks.model import TaskSpan, TaskTimeline
from dyno.report import load
from dyno.report.charts import look
from dyno.report.charts.arms import Arms, Note, arms_of, legend
from dyno.report.charts.chart import Chart, Spec, document
from dyno.report.charts.look import Page
from dyno.report.charts.panels import AXIS_PX, count_axis, grid, heading, side_by_side, time_axis
from dyno.report.charts.stack import clipped

PANELS_MOST = 9
SHADE: Spec = {"type": "rect", "color": look.BAND}
# Room above the line for the tasks' names.
HEAD_ROOM = 1.18
LETTER_PX = 6.5

TimelinePanel = tuple[str, TaskTimeline, SeriesRead]


def chart(findings: Findings) -> Chart | None:
    """A panel per arm and point; None if no task ran beside a load."""
    there, drawn = _panels(findings)
    if not drawn:
        return None
    return Chart(
        name="beside-tasks",
        label="Load beside tasks",
        title="The load beside tasks, over time",
        caption=_caption(there, len(drawn)),
        spec=_spec(findings, drawn, look.WIDE),
        narrow=_spec(findings, drawn, look.NARROW),
    )


def _panels(findings: Findings) -> tuple[int, list[TimelinePanel]]:
    """How many panels there could be, and those to draw."""
    timelines = findings.tasks.timelines if findings.tasks else []
    kept = {(r.arm, r.point, r.block): r for r in findings.series if len(r.t_s) > 1}
    labels = {point.index: point.label for point in load.points_of(findings)}
    found = []
    for line in timelines:
        read = kept.get((line.arm, line.point, line.block))
        if read is not None:
            at = labels.get(line.point, "") if len(labels) > 1 else ""
            found.append((", ".join(filter(None, (line.arm, at))), line, read))
    return len(found), load.spread(found, PANELS_MOST)


def _caption(there: int, drawn: int) -> str:
    said = (
        "Each panel is the typical trial of an arm, the one in the middle by the time of its "
        "tasks: ok ops in every second, against the seconds since the measured phase began. While "
        "a task ran the ground is shaded. Higher is better. Every panel has its own axes."
    )
    return f"{said} {drawn} of {there} are drawn." if there > drawn else said


def _spec(findings: Findings, drawn: list[TimelinePanel], page: Page) -> Spec:
    arms = arms_of(findings)
    columns = grid(len(drawn), page)
    panels = [_panel(title, line, read, arms, columns.width_px) for title, line, read in drawn]
    notes = [Note("a task runs", {**SHADE, "width": 22, "height": 12})]
    shown = {read.arm for _, _, read in drawn}
    head = legend(arms, shown, page, notes, left_px=AXIS_PX, points=False)
    return document(
        "The load beside tasks", {"vconcat": [head, side_by_side(panels, columns)]}, page
    )


def _panel(title: str, line: TaskTimeline, read: SeriesRead, arms: Arms, width_px: int) -> Spec:
    end_s = max(read.t_s[-1], *(span.end_s for span in line.spans))
    most = max(read.ops_per_s) * HEAD_ROOM
    x, y = time_axis("t_s", end_s), count_axis("ops_per_s", most)
    # A second's figure covers all of it, so that it meets the edges of the tasks.
    stairs: Spec = {"type": "line", "interpolate": "step-before", "strokeWidth": 1.3}
    return {
        "title": heading(title, width_px),
        "width": width_px,
        "height": 130 if width_px < 400 else 200,
        "layer": [
            {
                "data": {"values": [_span(s, most, width_px / end_s) for s in line.spans]},
                "layer": [_shade(x, y), _names(x, y)],
            },
            {
                "data": {"values": _seconds(read)},
                "mark": {**stairs, "aria": False},
                "encoding": {"x": x, "y": y, "color": arms.colour, "strokeDash": arms.dash},
            },
        ],
    }


def _shade(x: Spec, y: Spec) -> Spec:
    return {
        "mark": {"type": "rect", "color": look.BAND, "opacity": 1},
        "encoding": {
            "x": {**x, "field": "begin_s"},
            "x2": {"field": "end_s"},
            "y": {**y, "field": "low"},
            "y2": {"field": "high"},
            "description": {"field": "words"},
        },
    }


def _names(x: Spec, y: Spec) -> Spec:
    return {
        "mark": {"type": "text", "align": "left", "baseline": "top", "dx": 3, "dy": 4}
        | {"color": look.MUTED, "aria": False},
        "encoding": {
            "x": {**x, "field": "begin_s"},
            "y": {**y, "field": "high"},
            "text": {"field": "name", "type": "nominal"},
        },
    }


def _span(span: TaskSpan, most: float, px_per_s: float) -> dict[str, Any]:
    """A task as a shaded span; its name is cut to what fits in it."""
    wide_px = (span.end_s - span.begin_s) * px_per_s
    letters = int(wide_px / LETTER_PX) - 1
    took = f"{span.end_s - span.begin_s:.3g} s"
    ended = "" if span.outcome == "ok" else f", {span.outcome}"
    return {
        "begin_s": span.begin_s,
        "end_s": span.end_s,
        "low": 0,
        "high": round(most * 1.08, 3) or 1.0,
        "name": clipped(span.task, letters) if letters >= 4 else "",
        "words": f"{span.task}: {took}{ended}",
    }


def _seconds(read: SeriesRead) -> list[dict[str, Any]]:
    """The first second is repeated at its beginning: a step needs two ends."""
    first = {"arm": read.arm, "t_s": 0, "ops_per_s": round(read.ops_per_s[0], 1)}
    return [
        first,
        *(
            {"arm": read.arm, "t_s": t, "ops_per_s": round(value, 1)}
            for t, value in zip(read.t_s, read.ops_per_s, strict=True)
        ),
    ]
