"""Rows of dots: every block's value on one arm, and the median of the blocks.

Shared by the chart of times and by that of the throughput at a single point.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dyno.analysis.part import BlockValue
from dyno.report.charts import look
from dyno.report.charts.chart import Spec
from dyno.report.charts.look import Page
from dyno.report.charts.stack import Panel


@dataclass(frozen=True)
class Fields:
    """The names of the figures in the document's data."""

    value: str
    median: str
    low: str
    high: str


@dataclass(frozen=True)
class Row:
    """One arm: its blocks, their median and ends; `bounds` is its interval in words, or ""."""

    arm: str
    baseline: bool
    n: int
    median: float
    low: float
    high: float
    blocks: list[BlockValue]
    bounds: str = ""


def row_panel(
    title: str,
    subtitle: str,
    rows: list[Row],
    fields: Fields,
    page: Page,
    *,
    shown: Callable[[float], str],
    dots: bool,
) -> Panel:
    """The rows of one op; `shown` formats a figure with its unit."""
    values: list[dict[str, Any]] = []
    for row in rows:
        common = {"row": row.arm, "base": "yes" if row.baseline else "no"}
        median = shown(row.median)
        interval = f" ({row.bounds})" if row.bounds else ""
        values.append(
            {
                **common,
                "kind": "label",
                "name": row.arm,
                fields.median: row.median,
                fields.low: row.low,
                fields.high: row.high,
                "n": row.n,
                "figure": f"{median}{interval}, n = {row.n}",
                "brief": f"{median}, n = {row.n}",
                "words": f"{title}, {row.arm}: median {median} of {row.n} blocks, "
                f"{shown(row.low)} to {shown(row.high)}",
            }
        )
        if dots:
            values += _blocks(title, row, common, fields, shown)
    return Panel(title, subtitle, [r.arm for r in rows], values, _layers(fields, page, dots=dots))


def _blocks(
    title: str, row: Row, common: dict[str, str], fields: Fields, shown: Callable[[float], str]
) -> list[dict[str, Any]]:
    last = max(len(row.blocks) - 1, 1)
    return [
        {
            **common,
            "kind": "block",
            "block": each.block,
            fields.value: each.value,
            "lane": round(12 * (place / last - 0.5), 2),
            "words": f"{title}, {row.arm}, block {each.block}: {shown(each.value)}",
        }
        for place, each in enumerate(row.blocks)
    ]


def _layers(fields: Fields, page: Page, *, dots: bool) -> list[Spec]:
    colour = {
        "field": "base",
        "type": "nominal",
        "scale": {"domain": ["yes", "no"], "range": [look.BASE, look.DOT]},
        "legend": None,
    }
    label = [{"filter": "datum.kind == 'label'"}]
    # Lanes go from -6 to 6; rows are taller on a narrow page, and the dots keep their distance.
    room = 26 if page.narrow else 12
    words = {"field": "words"}
    spread: Spec = {
        "transform": label,
        "mark": {"type": "rule", "strokeWidth": 3, "opacity": 0.55, "aria": False},
        "encoding": {"x": {"field": fields.low}, "x2": {"field": fields.high}, "color": colour},
    }
    if dots:
        spread = {
            "transform": [{"filter": "datum.kind == 'block'"}],
            "mark": {"type": "point", "filled": True, "size": 15, "opacity": 0.75},
            "encoding": {
                "x": {"field": fields.value},
                "color": colour,
                "yOffset": {"field": "lane", "type": "quantitative"}
                | {"scale": {"domain": [-room, room]}},
                "description": words,
            },
        }
    median: Spec = {
        "transform": label,
        "mark": {"type": "tick", "thickness": 1.6, "size": 20, "color": look.INK, "opacity": 1},
        "encoding": {"x": {"field": fields.median}, "description": words},
    }
    return [median, spread]
