"""Size against speed: a dot per arm, bytes per row on x, its highest throughput on y."""

from __future__ import annotations

from typing import Any

from dyno.analysis.model import Findings
from dyno.report import load, metrics, numbers
from dyno.report.charts import look
from dyno.report.charts.arms import Arms, arms_of, legend
from dyno.report.charts.chart import Chart, Spec, document
from dyno.report.charts.look import Page
from dyno.spec.metrics import METRICS, MetricKey

AXIS_PX = 58
HEIGHT_PX = 260


def chart(findings: Findings) -> Chart | None:
    """None if fewer than two arms have both figures."""
    values = _values(findings)
    if len(values) < 2:
        return None
    arms = arms_of(findings)
    rate = metrics.headline(findings)
    return Chart(
        name="size",
        title="Size against speed",
        caption=(
            "Each mark is one arm: across, what a row takes on disk, on a log axis; upwards, its "
            f"highest median {METRICS[rate].noun} of all points. Upper left is better. An arm "
            "whose rows are unknown or none is not drawn."
        ),
        spec=_spec(arms, values, rate, look.WIDE),
        narrow=_spec(arms, values, rate, look.NARROW),
        label="Size against speed",
    )


def _values(findings: Findings) -> list[dict[str, Any]]:
    found = []
    rate = metrics.headline(findings)
    for read in findings.sizes:
        rates = [f for f in findings.figures if (f.arm, f.metric) == (read.arm, rate)]
        if not rates:
            continue
        best = max(rates, key=lambda figure: figure.median.value)
        at = next((p.label for p in load.points_of(findings) if p.index == best.point), "")
        words = f"{read.arm}: {numbers.significant(read.bytes_per_row)} bytes a row"
        words += f", {metrics.shown(best, best.median.value)}" + (f" at {at}" if at else "")
        found.append(
            {
                "arm": read.arm,
                "bytes_per_row": read.bytes_per_row,
                "rate": best.median.value,
                "words": words,
            }
        )
    return found


def _spec(arms: Arms, values: list[dict[str, Any]], rate: MetricKey, page: Page) -> Spec:
    noun, unit = METRICS[rate].noun, METRICS[rate].unit
    sizes = [value["bytes_per_row"] for value in values]
    low, high = min(sizes) / 1.6, max(sizes) * 1.6
    top = max(value["rate"] for value in values)
    axis: Spec = {"domain": False, "ticks": False, "grid": True, "labelPadding": 8}
    panel = {
        "title": {
            "text": f"Highest {noun}, {unit}" if unit != noun else f"Highest {noun}",
            "subtitle": "more is better, and further left is smaller",
            "anchor": "start",
            "frame": "group",
            "offset": 8,
        },
        "width": page.width_px - 20 - AXIS_PX,
        "height": HEIGHT_PX - (70 if page.narrow else 0),
        "data": {"values": values},
        "mark": {"type": "point", "filled": True, "size": 110, "opacity": 1},
        "encoding": {
            "x": {
                "field": "bytes_per_row",
                "type": "quantitative",
                "scale": {"type": "log", "domain": [low, high], "nice": False},
                "axis": {
                    **axis,
                    "title": "bytes a row, log axis",
                    "values": look.steps(low, high),
                    "format": ",~r",
                },
            },
            "y": {
                "field": "rate",
                "type": "quantitative",
                "scale": {"domain": [0, top * 1.08], "nice": False},
                "axis": {
                    **axis,
                    "title": None,
                    "tickCount": 5,
                    "labelExpr": look.THOUSANDS,
                    "minExtent": AXIS_PX - 6,
                    "maxExtent": AXIS_PX - 6,
                },
            },
            "color": arms.colour,
            "shape": arms.shape,
            "description": {"field": "words"},
        },
    }
    shown = {value["arm"] for value in values}
    views = [legend(arms, shown, page, [], left_px=AXIS_PX), panel]
    return document("Size against speed", {"vconcat": views}, page)
