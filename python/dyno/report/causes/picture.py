"""The shares of a difference: a point with its interval for each cause."""

from __future__ import annotations

from typing import Any

from dyno.analysis.signed import number
from dyno.analysis.why import CauseRead, Causes
from dyno.report import numbers
from dyno.report.charts import look
from dyno.report.charts.chart import Chart, Spec, document
from dyno.report.charts.look import Page
from dyno.report.charts.stack import Panel, stacked
from dyno.spec.units import possessive

_COLOURS = {"more": look.MORE, "less": look.LESS, "unproven": look.EVEN}


def shares(causes: Causes) -> Chart | None:
    """None where nothing has a share."""
    drawn = [cause for cause in causes.causes if cause.points is not None]
    if not drawn:
        return None
    target = causes.explained
    caption = (
        f"By how many points of {possessive(target.first)} time {target.second} needs more "
        "(orange) or less (blue), cause by cause; together they are the whole difference. A line "
        "is the interval. Hollow: not proven."
    )
    return Chart(
        name="points",
        title="Where the difference comes from",
        caption=caption,
        spec=_spec(drawn, look.WIDE),
        narrow=_spec(drawn, look.NARROW),
        label="Shares",
    )


def _spec(drawn: list[CauseRead], page: Page) -> Spec:
    ends = [end for cause in drawn for end in _ends(cause)]
    low, high = min(0.0, *ends), max(0.0, *ends)
    room = max(high - low, 0.1) * 0.06
    axis = {
        "scale": {"type": "linear"},
        "axis": {"title": "points, in percent", "grid": True, "domain": False, "tickCount": 6},
    }
    values = [value for cause in drawn for value in _values(cause)]
    panel = Panel("", "", [_label(cause) for cause in drawn], values, _layers())
    body = stacked([panel], page, axis, (low - room, high + room))
    return document("Shares of the difference", body, page)


def _label(cause: CauseRead) -> str:
    return look.wrapped(cause.name.replace(" with ", " / "))


def _ends(cause: CauseRead) -> tuple[float, ...]:
    assert cause.points is not None
    return (cause.points.value, *(cause.points.interval or ()))


def _values(cause: CauseRead) -> list[dict[str, Any]]:
    assert cause.points is not None
    interval = cause.points.interval
    proven = bool(interval) and not interval[0] <= 0 <= interval[1] if interval else False
    side = ("more" if cause.points.value > 0 else "less") if proven else "unproven"
    figure = numbers.estimate(cause.points, words=number)
    point = {
        "kind": "label",
        "row": _label(cause),
        "name": cause.name,
        "at": cause.points.value,
        "proven": proven,
        "side": side,
        "figure": figure,
        "brief": numbers.point(cause.points, number),
        "words": f"{cause.name}: {figure} points",
    }
    if not interval:
        return [point]
    line = {"kind": "line", "row": _label(cause), "low": interval[0], "high": interval[1]}
    return [point, line | {"side": side}]


def _layers() -> list[Spec]:
    colour = {
        "field": "side",
        "type": "nominal",
        "scale": {"domain": list(_COLOURS), "range": list(_COLOURS.values())},
        "legend": None,
    }
    at = {"x": {"field": "at"}, "color": colour, "description": {"field": "words"}}
    point = {"type": "point", "size": 46, "opacity": 1, "strokeWidth": 1.8, "aria": True}
    return [
        {
            "data": {"values": [{"none": 0}]},
            "mark": {"type": "rule", "color": look.MUTED, "strokeWidth": 1, "aria": False},
            "encoding": {"x": {"field": "none"}},
        },
        {
            "transform": [{"filter": "datum.kind == 'line'"}],
            "mark": {"type": "rule", "strokeWidth": 2.6, "aria": False},
            "encoding": {"x": {"field": "low"}, "x2": {"field": "high"}, "color": colour},
        },
        {
            "transform": [{"filter": "datum.kind == 'label' && datum.proven"}],
            "mark": {**point, "filled": True},
            "encoding": at,
        },
        {
            "transform": [{"filter": "datum.kind == 'label' && !datum.proven"}],
            "mark": {**point, "filled": False, "fill": look.PAPER},
            "encoding": at,
        },
    ]
