"""The horizontal axis of a sweep: connections or offered rates, and the position of each arm."""

from __future__ import annotations

from dataclasses import dataclass

from dyno.analysis.load.model import PointRead
from dyno.analysis.model import Findings
from dyno.report import load
from dyno.report.charts import look
from dyno.report.charts.chart import Spec
from dyno.spec.units import plural

LOG_FROM = 6.0
APART_PX = 7.0


@dataclass(frozen=True)
class Levels:
    """The levels of a sweep, ascending. `of_rate` if the offered rate is swept."""

    points: list[PointRead]
    of_rate: bool

    @property
    def over(self) -> str:
        """What the axis shows."""
        return "the offered rate" if self.of_rate else "connections"

    @property
    def values(self) -> list[float]:
        """The levels in ascending order."""
        return sorted(self.level_of(point) for point in self.points)

    @property
    def logarithmic(self) -> bool:
        """Connections always are; rates if they span enough."""
        return not self.of_rate or self.values[-1] > LOG_FROM * self.values[0]

    def level_of(self, point: PointRead) -> float:
        """The level of a point: its connections, or its rate."""
        return float((point.rate_per_s or 0.0) if self.of_rate else point.connections)

    def domain(self) -> tuple[float, float]:
        """The ends of the axis: half a usual step beyond the levels."""
        low, high = self.values[0], self.values[-1]
        if self.logarithmic:
            room = (high / low) ** (0.5 / max(len(self.values) - 1, 1))
            room = max(min(room, 1.5), 1.12)
            return low / room, high * room
        room = (high - low) * 0.06
        return low - room, high + room

    def placed(self, arms: list[str], plot_px: int) -> dict[tuple[str, int], float]:
        """Where each arm stands at each point: a few pixels apart, so that bars don't overlap."""
        low, high = self.domain()
        step_px = plot_px / max(len(self.values), 1)
        apart_px = min(APART_PX, 0.62 * step_px / max(len(arms), 1))
        found = {}
        for place, arm in enumerate(arms):
            share = (place - (len(arms) - 1) / 2) * apart_px / plot_px
            for point in self.points:
                level = self.level_of(point)
                x = level * (high / low) ** share if self.logarithmic else 0.0
                found[arm, point.index] = x or level + (high - low) * share
        return found

    def x(self, field: str, *, last: bool) -> Spec:
        """The encoding of `field` on the axis; labels under the `last` panel only."""
        scale: Spec = {"type": "linear"}
        if self.logarithmic:
            scale = {"type": "log", "base": 2}
        title = "offered rate, ops/s" if self.of_rate else "connections"
        axis: Spec = {
            "title": f"{title} (log axis)" if self.logarithmic else title,
            "values": self.values,
            "format": ",~f",
            "grid": False,
            "labelOverlap": "greedy",
            "labelSeparation": 9,
            "labelFlush": False,
            **({} if last else {"labels": False, "title": None}),
        }
        return {
            "field": field,
            "type": "quantitative",
            "scale": {**scale, "domain": list(self.domain()), "nice": False},
            "axis": axis,
        }

    def cores_rule(self, findings: Findings, *, named: bool, last: bool) -> list[Spec]:
        """Where connections outnumber the host's cores, if that lies inside the axis."""
        cores = findings.host.get("cores_logical")
        low, high = self.domain()
        if self.of_rate or not isinstance(cores, int) or not low < cores < high:
            return []
        data = {"values": [{"cores": cores, "text": plural(cores, "core")}]}
        x = self.x("cores", last=last)
        label: Spec = {
            "data": data,
            "mark": {"type": "text", "align": "left", "dx": 5, "color": look.MUTED}
            | {"aria": False, "baseline": "top"},
            "encoding": {"x": x, "y": {"value": 2}, "text": {"field": "text"}},
        }
        return [
            {
                "data": data,
                "mark": {"type": "rule", "color": look.AXIS, "strokeWidth": 1, "aria": False},
                "encoding": {"x": x},
            },
            *([label] if named else []),
        ]


def levels_of(findings: Findings) -> Levels | None:
    """The levels that were swept; None if there is one point, or if points differ in scripts."""
    points = load.points_of(findings)
    if len(points) < 2 or any(point.variant for point in points):
        return None
    rates = {point.rate_per_s for point in points}
    of_rate = None not in rates and len(rates) > 1
    return Levels(points, of_rate)
