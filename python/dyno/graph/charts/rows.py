"""Arms as rows at a single level: one dot per arm, with a bar if its figure has ends."""

from __future__ import annotations

from dyno.graph.charts import words
from dyno.graph.charts.points import Panel
from dyno.report.charts import look, stack
from dyno.report.charts.chart import Spec
from dyno.report.charts.look import Page


def rows(panels: list[Panel], page: Page) -> Spec:
    """Each panel has its own horizontal axis, because units differ."""
    return {"vconcat": [_panel(panel, page) for panel in panels], "spacing": 22}


def _panel(panel: Panel, page: Page) -> Spec:
    found = (end for spot in panel.spots for end in (spot.value, spot.low, spot.high))
    ends = [end for end in found if end is not None]
    values = []
    for spot in panel.spots:
        # Files that know their connections may stand side by side with others.
        name = f"{spot.arm}, {spot.point.label}"
        values.append(
            {
                "row": name,
                "kind": "label",
                "name": name,
                "value": spot.value,
                **({} if spot.low is None else {"low": spot.low, "high": spot.high}),
                "n": spot.n,
                "figure": f"{panel.shown(spot.value)}, n = {spot.n}",
                "brief": f"{panel.shown(spot.value)}, n = {spot.n}",
                "words": words.spot(spot, panel.noun, panel.shown),
            }
        )
    labels = [str(value["row"]) for value in values]
    layers: list[Spec] = [
        {
            "transform": [{"filter": "isValid(datum.low)"}],
            "mark": {"type": "rule", "strokeWidth": 3, "opacity": 0.55, "color": look.DOT}
            | {"aria": False},
            "encoding": {"x": {"field": "low"}, "x2": {"field": "high"}},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 44, "opacity": 1, "color": look.DOT},
            "encoding": {"x": {"field": "value"}, "description": {"field": "words"}},
        },
    ]
    drawn = stack.Panel(panel.title.removesuffix(", log axis"), panel.way, labels, values, layers)
    axis: Spec = {
        "scale": {"type": "linear"},
        "axis": {"title": None, "grid": True, "domain": False, "tickCount": 5}
        | ({"labelExpr": look.THOUSANDS} if max(ends) >= 10 else {}),
    }
    # `stacked` sets the rows of one panel here; the axis begins at 0.
    found_spec: Spec = stack.stacked([drawn], page, axis, (0.0, max(ends) * 1.04 or 1.0))
    only: Spec = found_spec["vconcat"][0]
    return only
