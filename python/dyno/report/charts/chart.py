"""A chart: its words, and its Vega-Lite document for a wide and for a narrow page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dyno.report.charts.drawing import png_of, svg_of
from dyno.report.charts.look import CONFIG, PADDING_PX, Page

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"

Spec = dict[str, Any]


@dataclass(frozen=True)
class Chart:
    """A chart of the findings. `spec` is for pages at least 720 px wide, `narrow` for a phone.

    `label` is its name in the contents, if that differs from `name`.
    """

    name: str
    title: str
    caption: str
    spec: Spec
    narrow: Spec
    label: str = ""

    def svg(self, *, narrow: bool = False) -> str:
        """The chart as SVG, on white."""
        return svg_of(self.narrow if narrow else self.spec)

    def png(self) -> bytes:
        """The wide chart as PNG, on white, at twice its size unless that is too large."""
        return png_of(self.svg())


def document(description: str, body: Spec, page: Page) -> Spec:
    """A whole Vega-Lite document around `body`."""
    head = {"padding": PADDING_PX[page.narrow], "config": CONFIG}
    return {"$schema": SCHEMA, "description": description, **head, **body}
