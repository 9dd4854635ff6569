"""The chart of drift: how far each block lies from the estimate, in running order."""

from __future__ import annotations

from typing import Any

from dyno.analysis.model import Findings
from dyno.analysis.verdicts.model import Compared
from dyno.report import load, numbers, view
from dyno.report.charts import look
from dyno.report.charts.chart import Chart, Spec, document
from dyno.report.charts.look import Page
from dyno.report.charts.stack import clipped
from dyno.spec.metrics import METRICS

PANELS_MOST = 36
DOTS_MOST = 700
GAP_PX = 26
AXIS_PX = 44


def chart(findings: Findings) -> Chart | None:
    """A small panel per comparison; None if nothing has two blocks."""
    drawn, left_out = _chosen(findings)
    if not drawn:
        return None
    words = METRICS[drawn[0].metric]
    way = f" The ratios are of {words.plural}: {words.side}." if view.is_load(findings) else ""
    more = f" {left_out:,} further comparisons are in the findings only." if left_out else ""
    return Chart(
        name="drift",
        title="Contrast by block, to show drift",
        caption="Each panel is one comparison: how far each block's ratio lies from the estimate, "
        "in percent, in the order in which the blocks ran. A slope or a step means that the "
        "machine or a server changed during the run; a triangle lies beyond the edge." + way + more,
        spec=_spec(findings, drawn, look.WIDE),
        narrow=_spec(findings, drawn, look.NARROW),
    )


def _chosen(findings: Findings) -> tuple[list[Compared], int]:
    """The comparisons to draw, primary ones first if there are too many, and the number omitted."""
    found = [
        c
        for group in view.groups(findings)
        for c in group.compared
        if c.ratio is not None and len(c.blocks) > 1
    ]
    kept = found
    if view.is_load(findings):
        # All points of a block run close in time: a few of them show what the others would.
        shown = {point.index for point in load.spread(load.points_of(findings), load.CHOSEN_POINTS)}
        kept = [c for c in found if c.point in shown and c.metric == found[0].metric]
    if len(kept) > PANELS_MOST:
        kept = ([c for c in kept if c.primary] or kept)[:PANELS_MOST]
    return kept, len(found) - len(kept)


def _deviation_pct(compared: Compared, value: float) -> float:
    return (value / (compared.ratio.value if compared.ratio else value) - 1) * 100


def _edge_pct(drawn: list[Compared]) -> float:
    """Half the height of a panel: holds nine tenths of the blocks with room to spare."""
    sizes = sorted(abs(_deviation_pct(c, b.value)) for c in drawn for b in c.blocks)
    usual = sizes[int(0.9 * (len(sizes) - 1))]
    wanted = max(min(sizes[-1] * 1.1, usual * 3), 0.5)
    steps = (0.5, 1, 2, 3, 5, 8, 10, 15, 20, 30, 50, 80, 100)
    return next((float(step) for step in steps if step >= wanted), wanted)


def _spec(findings: Findings, drawn: list[Compared], page: Page) -> Spec:
    columns = 1 if page.narrow else 3
    width_px = (page.width_px - 20 - columns * AXIS_PX - (columns - 1) * GAP_PX) // columns
    edge = _edge_pct(drawn)
    blocks = [b.block for c in drawn for b in c.blocks]
    span = (min(blocks) - 0.5, max(blocks) + 0.5)
    dots = len(blocks) <= DOTS_MOST
    panels = [_panel(view.group_of(findings, c), c, width_px, edge, span, dots=dots) for c in drawn]
    return document(
        "Deviation of each block",
        {"concat": panels, "columns": columns, "spacing": {"row": 18, "column": GAP_PX}},
        page,
    )


def _panel(
    title: str,
    compared: Compared,
    width_px: int,
    edge: float,
    span: tuple[float, float],
    *,
    dots: bool,
) -> Spec:
    x = {
        "field": "block",
        "type": "quantitative",
        "scale": {"domain": list(span), "nice": False},
        "axis": {"title": None, "grid": False, "tickMinStep": 1, "tickCount": 6, "format": "d"},
    }
    y = {
        "field": "shown_pct",
        "type": "quantitative",
        "scale": {"domain": [-edge, edge], "nice": False},
        "axis": {
            "title": None,
            "values": [-edge, 0, edge],
            "format": "+~r",
            "labelExpr": "datum.value == 0 ? '0' : datum.label + ' %'",
            "domain": False,
            "ticks": False,
            "grid": True,
        },
    }
    line = look.AXIS if dots else look.DOT
    head = {
        "text": clipped(title, width_px // 7),
        "subtitle": clipped(view.pair_of(compared), width_px // 6),
        "anchor": "start",
        "fontSize": look.TEXT_PX,
        "frame": "group",
        "offset": 6,
    }
    return {
        "title": head,
        "width": width_px,
        "height": 64,
        "data": {"values": _values(title, compared, edge, dots=dots)},
        "encoding": {"x": x, "y": y},
        "layer": [
            {"mark": {"type": "line", "color": line, "strokeWidth": 1, "aria": False}},
            {
                # With very many blocks only those beyond the edge are marked, to keep it small.
                "transform": [] if dots else [{"filter": "datum.beyond != 'no'"}],
                "mark": {"type": "point", "filled": True, "size": 22, "opacity": 1}
                | {"color": look.DOT},
                "encoding": {
                    "shape": {
                        "field": "beyond",
                        "type": "nominal",
                        "legend": None,
                        "scale": {
                            "domain": ["no", "above", "below"],
                            "range": ["circle", "triangle-up", "triangle-down"],
                        },
                    },
                    "description": {"field": "words"},
                },
            },
        ],
    }


def _values(title: str, compared: Compared, edge: float, *, dots: bool) -> list[dict[str, Any]]:
    name = f"{title} · {view.pair_of(compared)}"
    found = []
    for each in compared.blocks:
        off = _deviation_pct(compared, each.value)
        beyond = "above" if off > edge else "below" if off < -edge else "no"
        value: dict[str, Any] = {
            "block": each.block,
            "ratio": each.value,
            "shown_pct": round(max(-edge, min(edge, off)), 4),
            "beyond": beyond,
        }
        if dots or beyond != "no":
            ratio = numbers.ratio(each.value)
            value["words"] = f"{name}, block {each.block}: ratio {ratio}"
        found.append(value)
    return found
