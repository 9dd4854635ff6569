"""What the engine costs above its floor: a bar per arm with the floor's part and the engine's."""

from __future__ import annotations

from typing import Any

from dyno.analysis.costs.model import EngineCost
from dyno.analysis.model import Findings
from dyno.report import load, numbers
from dyno.report.charts import look
from dyno.report.charts.chart import Chart, Spec, document
from dyno.report.charts.look import Page

ROW_PX = 26
LABEL_PX = 190
PARTS = ("without the engine", "the engine")
COLOURS = (look.EVEN, look.DOT)
NOUNS = {"time": "time of an op", "server_cpu": "server's CPU time for an op"}


def chart(findings: Findings) -> Chart | None:
    """CPU if it was measured, else time; None if no arm has a floor."""
    drawn = _chosen(findings)
    if not drawn:
        return None
    noun = NOUNS[drawn[0].quantity]
    return Chart(
        name="engine-cost",
        title=f"Engine above its floor: {noun}",
        caption=(
            f"Each bar is the {noun}, median of the blocks: first what the arm's floor takes, then "
            "the rest, which is the engine's. Less is better. Where the floor took more than the "
            "arm, the bar has no second part. The intervals are in the table."
        ),
        spec=_spec(findings, drawn, look.WIDE),
        narrow=_spec(findings, drawn, look.NARROW),
        label="Engine above its floor",
    )


def _chosen(findings: Findings) -> list[EngineCost]:
    of_cpu = [c for c in findings.engine_costs if c.quantity == "server_cpu"]
    return of_cpu or [c for c in findings.engine_costs if c.quantity == "time"]


def _spec(findings: Findings, drawn: list[EngineCost], page: Page) -> Spec:
    labels = {point.index: point for point in load.points_of(findings)}
    groups: dict[tuple[str, int], list[EngineCost]] = {}
    for cost in drawn:
        groups.setdefault((cost.op, cost.point), []).append(cost)
    views: list[Spec] = []
    for (op, point), costs in groups.items():
        title = load.heading(findings, labels[point], op) if point in labels else op
        views.append(_panel(title or op, costs, page, first=not views))
    return document("Engine above its floor", {"vconcat": views}, page)


def _panel(title: str, costs: list[EngineCost], page: Page, *, first: bool) -> Spec:
    names = [cost.arm for cost in costs]
    label_px = min(LABEL_PX if not page.narrow else 120, look.label_width_px(names))
    legend: Spec = {"title": None, "orient": "top", "symbolType": "square", "columnPadding": 24}
    return {
        "title": {"text": f"{title}, µs", "anchor": "start", "frame": "group", "offset": 6},
        "width": page.width_px - 20 - label_px,
        "height": ROW_PX * len(names),
        "data": {"values": [value for cost in costs for value in _parts(cost)]},
        "mark": {"type": "bar", "height": ROW_PX * 0.62},
        "encoding": {
            "y": {
                "field": "arm",
                "type": "nominal",
                "sort": names,
                "axis": {
                    "title": None,
                    "domain": False,
                    "ticks": False,
                    "labelLimit": label_px - 8,
                    "minExtent": label_px - 6,
                    "maxExtent": label_px - 6,
                },
            },
            "x": {
                "field": "us",
                "type": "quantitative",
                "stack": "zero",
                "axis": {"title": None, "domain": False, "ticks": False, "tickCount": 5},
            },
            "color": {
                "field": "part",
                "type": "nominal",
                "scale": {"domain": list(PARTS), "range": list(COLOURS)},
                "legend": legend if first else None,
            },
            "order": {"field": "order"},
            "description": {"field": "words"},
        },
    }


def _parts(cost: EngineCost) -> list[dict[str, Any]]:
    total, floor = cost.arm_us, min(cost.floor_us, cost.arm_us)
    share = "" if cost.share is None else f" ({cost.share.value:.0%})"
    figures = (floor, max(0.0, total - floor))
    return [
        {
            "arm": cost.arm,
            "part": part,
            "order": order,
            "us": round(value, 4),
            "words": f"{cost.arm}: {part} {numbers.significant(value)} µs{share if order else ''}, "
            f"n = {cost.n}",
        }
        for order, (part, value) in enumerate(zip(PARTS, figures, strict=True))
    ]
