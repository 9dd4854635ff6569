"""A panel over levels: its vertical axis, and each arm as a line with bars and marks."""

from __future__ import annotations

from collections.abc import Sequence

from dyno.report.charts import look
from dyno.report.charts.arms import Arms
from dyno.report.charts.chart import Spec

# Room for the labels of the vertical axis.
AXIS_PX = 58


def value_axis(ends: list[float], *, log: bool) -> Spec:
    """The vertical encoding that holds all `ends` of bars, without its field."""
    axis: Spec = {"title": None, "domain": False, "ticks": False, "grid": True, "labelPadding": 8}
    axis |= {"minExtent": AXIS_PX - 6, "maxExtent": AXIS_PX - 6}
    if log:
        seen = [end for end in ends if end > 0] or [1.0]
        low, high = min(seen) / 1.25, max(seen) * 1.25
        scale: Spec = {"type": "log", "domain": [low, high], "nice": False}
        axis |= {"values": look.steps(low, high), "format": ",~r"}
    else:
        high = max(ends) or 1.0
        scale = {"type": "linear", "domain": [0, high * 1.05], "nice": False}
        axis |= {"tickCount": 6, "labelExpr": look.THOUSANDS if high >= 10 else "datum.label"}
    return {"type": "quantitative", "scale": scale, "axis": axis}


def marks(arms: Arms, x: Spec, y: Spec, behind: Sequence[Spec] = ()) -> list[Spec]:
    """Lines, bars from `low` to `high` if there are any, and marks with their words.

    `behind`: further marks at the same places, behind the arms' own.
    """
    at = {"x": x, "y": {**y, "field": "value"}}
    return [
        {
            "mark": {"type": "line", "strokeWidth": 1.6, "opacity": 0.9, "aria": False},
            "encoding": {**at, "color": arms.colour, "strokeDash": arms.dash},
        },
        {
            "transform": [{"filter": "isValid(datum.low)"}],
            "mark": {"type": "rule", "strokeWidth": 1.6, "aria": False},
            "encoding": {
                "x": x,
                "y": {**y, "field": "low"},
                "y2": {"field": "high"},
                "color": arms.colour,
            },
        },
        *({**mark, "encoding": at} for mark in behind),
        {
            "mark": {"type": "point", "filled": True, "size": 44, "opacity": 1},
            "encoding": {
                **at,
                "color": arms.colour,
                "shape": arms.shape,
                "description": {"field": "words"},
            },
        },
    ]
