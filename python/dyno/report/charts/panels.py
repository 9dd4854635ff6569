"""Small panels side by side: their width, their headings, and their axes."""

from __future__ import annotations

from dataclasses import dataclass

from dyno.report.charts import look
from dyno.report.charts.chart import Spec
from dyno.report.charts.look import Page
from dyno.report.charts.stack import clipped

COLUMNS_MOST = 3
GAP_PX = 24
# Room for the labels of a vertical axis.
AXIS_PX = 52
# What extends beyond the outer panels: padding, and half of the last label.
EDGES_PX = 40


@dataclass(frozen=True)
class Grid:
    """How many panels are in a row, and the width of the plot in each."""

    columns: int
    width_px: int


def grid(panels: int, page: Page) -> Grid:
    """The grid of n panels on a page."""
    columns = 1 if page.narrow else min(COLUMNS_MOST, panels)
    free_px = page.width_px - EDGES_PX - columns * AXIS_PX - (columns - 1) * GAP_PX
    return Grid(columns, free_px // columns)


def side_by_side(panels: list[Spec], grid: Grid, *, row_px: int = 16) -> Spec:
    """The panels, row by row."""
    spacing = {"row": row_px, "column": GAP_PX}
    return {"concat": panels, "columns": grid.columns, "spacing": spacing}


def heading(title: str, width_px: int) -> Spec:
    """The heading of a panel, cut to its width."""
    return {
        "text": clipped(title, width_px // 7),
        "anchor": "start",
        "fontSize": look.TEXT_PX,
        "frame": "group",
        "offset": 6,
    }


def time_axis(field: str, end_s: float) -> Spec:
    """Seconds from 0 on, to the right."""
    return {
        "field": field,
        "type": "quantitative",
        "scale": {"domain": [0, end_s], "nice": False},
        "axis": {"title": None, "grid": False, "tickCount": 4, "format": ",~f"}
        | {"labelExpr": "datum.label + ' s'", "labelFlush": False, "labelOverlap": True},
    }


def count_axis(field: str, most: float) -> Spec:
    """Figures from 0 to `most`, upwards; each panel has its own axis."""
    return {
        "field": field,
        "type": "quantitative",
        "scale": {"domain": [0, most * 1.08 or 1.0], "nice": False},
        "axis": {
            **upright(),
            "values": look.round_steps(most),
            "labelExpr": look.THOUSANDS if most >= 10 else "format(datum.value, '~r')",
        },
    }


def upright() -> Spec:
    """What the vertical axes of all panels share, so that the panels are aligned."""
    return {
        "title": None,
        "grid": True,
        "domain": False,
        "ticks": False,
        "minExtent": AXIS_PX - 8,
        "maxExtent": AXIS_PX - 8,
    }
