"""A panel of latency by percentile: the far tail gets as much room as the middle.

Its values are points (`place` = 1 / (1 - quantile), and `ms`) of lines; `part` distinguishes the
line of percentiles from the dotted segment to the slowest op. See `part_of`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from dyno.report.charts import look
from dyno.report.charts.arms import Arms
from dyno.report.charts.chart import Spec
from dyno.report.charts.panels import upright

TICKS = (0.5, 0.9, 0.99, 0.999, 0.9999)
# How far right of the last percentile the maximum is: one power of ten.
MAX_APART = 10.0
HEIGHT_PX = 230


@dataclass(frozen=True)
class Tail:
    """The axes that all panels share: the place of the last percentile, and the latencies."""

    last: float
    domain_ms: tuple[float, float]

    def place(self, quantile: float) -> float:
        """The position of a percentile; the slowest op (1) is beyond all of them."""
        return self.last * MAX_APART if quantile == 1 else round(1 / (1 - quantile), 4)


def tail(points: Iterable[tuple[float, float]]) -> Tail:
    """The axes for all (quantile, ms) that will be drawn."""
    seen = list(points)
    positive = [ms for _, ms in seen if ms > 0] or [1.0]
    last = 1 / (1 - max((q for q, _ in seen if q < 1), default=0.5))
    return Tail(last, (min(positive) / 1.3, max(positive) * 1.3))


def part_of(quantile: float, inside: list[float]) -> str:
    """Which lines a point is on; the last percentile is on both."""
    return "max" if quantile == 1 else "both" if quantile == inside[-1] else "quantile"


def panel(title: Spec, values: list[dict[str, Any]], arms: Arms, axes: Tail, width_px: int) -> Spec:
    """The lines of one panel, one for each `detail`."""
    x, y = _x(values, axes), _y(axes)
    return {
        "title": title,
        "width": width_px,
        "height": HEIGHT_PX,
        "data": {"values": values},
        "layer": _layers({"x": x, "y": y, "color": arms.colour, "detail": {"field": "line"}}, arms),
    }


def _x(values: list[dict[str, Any]], axes: Tail) -> Spec:
    most = axes.place(1)
    ticks = {1 / (1 - q): f"{q * 100:g}" for q in TICKS if 1 / (1 - q) <= axes.last * 1.001}
    ticks[most] = "max"
    labels = " : ".join(f"datum.value < {x * 1.5:g} ? '{text}'" for x, text in ticks.items())
    low = min((value["place"] for value in values), default=2.0)
    return {
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


def _y(axes: Tail) -> Spec:
    return {
        "field": "ms",
        "type": "quantitative",
        "scale": {"type": "log", "domain": list(axes.domain_ms), "nice": False},
        "axis": {
            **upright(),
            "values": look.steps(*axes.domain_ms),
            "labelExpr": "datum.value >= 1000 ? format(datum.value / 1000, '~r') + ' s'"
            " : format(datum.value, '~r') + ' ms'",
        },
    }


def _layers(at: Spec, arms: Arms) -> list[Spec]:
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
