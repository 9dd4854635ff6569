"""Arms distinguished by colour and shape, and the legend that identifies them.

With more arms than colours, colours are reused with other shapes and dashed lines.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from typing import Any

from dyno.analysis.model import Findings
from dyno.report.charts import look
from dyno.report.charts.chart import Spec
from dyno.report.charts.look import Page

SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down")
DASHES = ([1, 0], [7, 3], [2, 2])
ROW_PX = 20
MARK_PX = 34
GAP_PX = 22


@dataclass(frozen=True)
class Note:
    """A legend entry that isn't an arm: its words, and how it is drawn (a Vega-Lite mark)."""

    text: str
    mark: Spec = field(default_factory=dict)


@dataclass(frozen=True)
class Arms:
    """The arms of a run with their looks, in the order of the findings."""

    names: list[str]

    @property
    def colour(self) -> Spec:
        """The encoding of the field `arm` as colour."""
        return self._encoding([look.ARMS[i % len(look.ARMS)] for i in range(len(self.names))])

    @property
    def shape(self) -> Spec:
        """The encoding of the field `arm` as shape."""
        return self._encoding([SHAPES[i % len(SHAPES)] for i in range(len(self.names))])

    @property
    def dash(self) -> Spec:
        """The encoding of the field `arm` as dashes: solid lines as long as there are colours."""
        times = [i // len(look.ARMS) for i in range(len(self.names))]
        return self._encoding([DASHES[time % len(DASHES)] for time in times])

    def _encoding(self, values: list[Any]) -> Spec:
        scale = {"domain": self.names, "range": values}
        return {"field": "arm", "type": "nominal", "scale": scale, "legend": None}


def arms_of(findings: Findings) -> Arms:
    """All arms of the run: an arm looks the same in each of its charts."""
    return Arms([arm.name for arm in findings.arms])


def legend(
    arms: Arms,
    shown: set[str],
    page: Page,
    notes: list[Note],
    *,
    left_px: int,
    points: bool = True,
) -> Spec:
    """A view of its own: a mark and the name of each arm in `shown`, then the notes.

    It begins `left_px` left of the plots below it, where their axis labels begin. `points` draws
    the arms' shapes on their lines.
    """
    names = [name for name in arms.names if name in shown]
    entries: list[dict[str, Any]] = [{"arm": name, "text": name} for name in names]
    entries += [{"note": place, "text": note.text} for place, note in enumerate(notes)]
    height_px = _flow(entries, page.width_px - 20, left_px)
    named = [{"filter": "isValid(datum.arm)"}]
    layers: list[Spec] = [
        {
            "transform": named,
            "mark": {"type": "rule", "strokeWidth": 1.8, "aria": False},
            "encoding": {**_at("x", "y", "x2"), "color": arms.colour, "strokeDash": arms.dash},
        }
    ]
    if points:
        layers.append(
            {
                "transform": named,
                "mark": {"type": "point", "filled": True, "size": 52, "opacity": 1, "aria": False},
                "encoding": {**_at("mid", "y"), "color": arms.colour, "shape": arms.shape},
            }
        )
    for place, note in enumerate(notes):
        ends = ("x", "y", "x2") if note.mark.get("type") == "rule" else ("mid", "y")
        layers.append(
            {
                "transform": [{"filter": f"datum.note === {place}"}],
                "mark": {**note.mark, "aria": False},
                "encoding": _at(*ends),
            }
        )
    words: Spec = {"type": "text", "align": "left", "baseline": "top", "aria": False}
    layers.append(
        {
            "mark": {**words, "lineBreak": "\n", "lineHeight": look.LINE_PX},
            "encoding": {**_at("text_x", "text_y"), "text": {"field": "text", "type": "nominal"}},
        }
    )
    return {
        "width": page.width_px - 20 - left_px,
        "height": height_px,
        "data": {"values": entries},
        "layer": layers,
    }


def _flow(entries: list[dict[str, Any]], width_px: int, left_px: int) -> int:
    """Places each entry, in rows as wide as the page; returns the height of all rows.

    A name that is wider than the page continues on a second line.
    """
    most = int((width_px - MARK_PX) / look.CHAR_PX)
    x, y, row_px = 0.0, 0.0, ROW_PX
    for entry in entries:
        lines = textwrap.wrap(entry["text"], most, max_lines=3, placeholder="…") or [""]
        wide = MARK_PX + max(len(line) for line in lines) * look.CHAR_PX
        if x > 0 and x + wide > width_px:
            x, y, row_px = 0.0, y + row_px, ROW_PX
        row_px = max(row_px, ROW_PX + look.LINE_PX * (len(lines) - 1))
        left = x - left_px
        entry |= {"text": "\n".join(lines), "x": left, "x2": left + 24, "mid": left + 12}
        entry |= {"text_x": left + MARK_PX - 4, "text_y": y + 4, "y": y + ROW_PX / 2}
        x += wide + GAP_PX
    return int(y + row_px)


def _at(x: str, y: str, x2: str | None = None) -> Spec:
    """Encodings in pixels of the legend's view."""
    place: Spec = {
        "x": {"field": x, "type": "quantitative", "scale": None, "axis": None},
        "y": {"field": y, "type": "quantitative", "scale": None, "axis": None},
    }
    return place | ({"x2": {"field": x2}} if x2 else {})
