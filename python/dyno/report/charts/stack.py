"""Charts made of rows under the heading of an op: shared by the charts of ratios and of times.

On a wide page a row's label is left of the plot and its figure right of it; on a narrow page
both are above the row, so that long names and the plot each get the whole width.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, replace
from typing import Any

from dyno.report.charts import look
from dyno.report.charts.chart import Spec
from dyno.report.charts.look import Page

FIGURE_NARROW_PX = 132
MARK_PX = 10
MARK_GAP_PX = 6
# A narrow page's names and figures, above the middle of their row.
ABOVE_PX = 19


@dataclass(frozen=True)
class Panel:
    """The rows of one op. `labels` are the rows' names in order; `layers` draw on x and `row`. Of
    its values, those of the kind "label" have "name", "figure", "brief", and some a "mark".
    """

    title: str
    subtitle: str
    labels: list[str]
    values: list[dict[str, Any]]
    layers: list[Spec]


def stacked(panels: list[Panel], page: Page, x_axis: Spec, x_domain: tuple[float, float]) -> Spec:
    """The panels below each other on one scale; only the last one has the axis."""
    labels = [label for panel in panels for label in panel.labels]
    every = [value for panel in panels for value in panel.values]
    figures = [value["figure"] for value in every if "figure" in value]
    label_px = 0 if page.narrow else look.label_width_px(labels)
    figure_px = 0 if page.narrow else look.label_width_px(figures, char_px=look.DIGIT_PX) + 8
    marks = max((len(value.get("mark", "")) for value in every), default=0)
    mark_px = MARK_PX * marks + MARK_GAP_PX if marks else 0
    plot_px = page.width_px - 22 - label_px - figure_px - (0 if page.narrow else mark_px)
    step_px, name_lines = 34 if any("\n" in label for label in labels) else 23, 1
    if page.narrow:
        panels, name_lines = _wrapped(panels, plot_px - FIGURE_NARROW_PX - mark_px)
        step_px = 44 + look.LINE_PX * (name_lines - 1)
    drawn = []
    for place, panel in enumerate(panels):
        last = place == len(panels) - 1
        y = row_scale(panel.labels, page, label_px)
        drawn.append(
            {
                "title": heading(panel.title, panel.subtitle, page),
                "width": plot_px,
                "height": {"step": step_px},
                "data": {"values": panel.values},
                "layer": [
                    *(placed(layer, y, x_domain, x_axis, last=last) for layer in panel.layers),
                    *_labels(page, plot_px, y, mark_px, name_lines),
                    *([_mark(page, plot_px, y)] if marks else []),
                ],
            }
        )
    return {"vconcat": drawn}


def heading(title: str, subtitle: str, page: Page) -> Spec:
    """The op's name over its rows, on up to three lines if long, cut to the page's width."""
    lines = textwrap.wrap(title, 44 if page.narrow else 120, max_lines=3, placeholder="…")
    spec: Spec = {
        "text": lines if len(lines) > 1 else title,
        "anchor": "start",
        "frame": "group",
        "offset": 6,
    }
    if not page.narrow:
        spec["frame"] = "bounds"
    spec["limit"] = page.width_px - 20
    if subtitle:
        spec["subtitle"] = clipped(subtitle, 52 if page.narrow else 130)
    return spec


def clipped(text: str, most: int) -> str:
    """One line of at most `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def row_scale(labels: list[str], page: Page, label_px: int) -> Spec:
    """The rows, in the given order."""
    axis: Spec | None = None
    if not page.narrow:
        axis = {
            "title": None,
            "domain": False,
            "ticks": False,
            "labelPadding": 10,
            "labelLimit": label_px,
            "minExtent": label_px,
            "maxExtent": label_px,
            "labelExpr": "split(datum.label, '\\n')",
            "labelLineHeight": look.LINE_PX,
        }
    return {"field": "row", "type": "nominal", "sort": labels, "axis": axis}


def placed(layer: Spec, y: Spec, domain: tuple[float, float], axis: Spec, *, last: bool) -> Spec:
    """A layer with the shared scale on its x; axis labels only under the last panel.

    A layer with its own data isn't about a row and crosses all of them.
    """
    encoding = dict(layer["encoding"])
    if "data" not in layer:
        encoding["y"] = y
    hidden = {} if last else {"labels": False, "title": None, "ticks": False}
    encoding["x"] = {
        **encoding["x"],
        "type": "quantitative",
        "scale": {**axis["scale"], "domain": list(domain)},
        "axis": {**axis["axis"], **hidden},
    }
    return {**layer, "encoding": encoding}


def _wrapped(panels: list[Panel], room_px: int) -> tuple[list[Panel], int]:
    """The panels with long names on two lines, and how many lines all have then: a short name is on
    the last one, where its figure is.
    """
    most = int(room_px / look.CHAR_PX)
    lines = {
        value["name"]: textwrap.wrap(value["name"], most, max_lines=2, placeholder="…")
        for panel in panels
        for value in panel.values
        if "name" in value
    }
    count = max(map(len, lines.values()), default=1)
    names = {name: "\n".join([""] * (count - len(of)) + of) for name, of in lines.items()}
    found = []
    for panel in panels:
        values = [v | {"name": names[v["name"]]} if "name" in v else v for v in panel.values]
        found.append(replace(panel, values=values))
    return found, count


def _mark(page: Page, plot_px: int, y: Spec) -> Spec:
    """The rows' marks, left of the figures, and on a narrow page right of them. They are separate
    texts, because they may need another font.
    """
    x_px, align, dy = (plot_px, "right", -ABOVE_PX) if page.narrow else (plot_px + 14, "left", 0)
    return {
        "transform": [{"filter": "datum.kind == 'label' && datum.mark"}],
        "mark": {"type": "text", "align": align, "dy": dy, "aria": False},
        "encoding": {"x": {"value": x_px}, "y": y, "text": {"field": "mark"}},
    }


def _labels(page: Page, plot_px: int, y: Spec, mark_px: int, name_lines: int) -> list[Spec]:
    """The rows' figures, and on a narrow page their names too."""
    only = [{"filter": "datum.kind == 'label'"}]
    if not page.narrow:
        return [
            {
                "transform": only,
                "mark": {"type": "text", "align": "left", "aria": False},
                "encoding": {
                    "x": {"value": plot_px + 14 + mark_px},
                    "y": y,
                    "text": {"field": "figure"},
                },
            }
        ]
    # The text is drawn twice: first as a paper-coloured outline that lifts it off the grid lines.
    found: list[Spec] = []
    for rim in ({"stroke": look.PAPER, "strokeWidth": 3}, {}):
        above = {"type": "text", "dy": -ABOVE_PX, "aria": False, **rim}
        name = {
            **above,
            "dy": -ABOVE_PX - look.LINE_PX * (name_lines - 1),
            "align": "left",
            "lineBreak": "\n",
            "lineHeight": look.LINE_PX,
            "limit": plot_px - FIGURE_NARROW_PX - mark_px,
        }
        figure = {**above, "align": "right", "fontWeight": 600}
        found += [
            {
                "transform": only,
                "mark": name,
                "encoding": {"x": {"value": 0}, "y": y, "text": {"field": "name"}},
            },
            {
                "transform": only,
                "mark": figure,
                "encoding": {"x": {"value": plot_px - mark_px}, "y": y}
                | {"text": {"field": "brief"}},
            },
        ]
    return found
