"""The last seconds of one crash that lost something: what was acknowledged, what of it survived."""

from __future__ import annotations

from typing import Any

from dyno.analysis.durability import KINDS, Losses, short_time
from dyno.report.charts import look
from dyno.report.charts.chart import Chart, Spec, document
from dyno.report.charts.look import Page
from dyno.spec.units import capital

AXIS_PX = 58
_SURVIVED, _LOST = "survived", "lost"


def last_seconds(losses: Losses) -> Chart | None:
    """The crash that lost most, but not all; None if no loss could be counted."""
    drawn = [crash for crash in losses.crashes if crash.lost and crash.moments]
    if not drawn:
        return None
    # One that kept something shows where the loss begins.
    crash = max(drawn, key=lambda c: (c.lost != c.acknowledged, c.lost or 0))
    lost_s, counted = short_time(crash.lost_s or 0.0), losses.load.counted
    caption = (
        f"{capital(KINDS[crash.kind])} of {crash.arm}, crash {crash.number}: {counted} that "
        f"clients knew to be done, in twentieths of a second before the crash, which is at the "
        f"right edge. "
        f"{crash.lost:,} of them, of the last {lost_s}, were gone afterwards."
    )
    values = [value for moment in crash.moments for value in _values(moment)]
    return Chart(
        name="last-seconds",
        title="The last seconds before a crash",
        caption=caption,
        spec=_spec(values, look.WIDE),
        narrow=_spec(values, look.NARROW),
        label="Last seconds",
    )


def _values(moment: Any) -> list[dict[str, Any]]:
    begin = -moment.before_s
    kept = moment.acknowledged - moment.lost
    return [
        {"t_s": begin, "end_s": round(begin + 0.05, 2), "what": what, "from": low, "to": high}
        for what, low, high in (
            (_SURVIVED, 0, kept),
            (_LOST, kept, moment.acknowledged),
        )
        if high > low
    ]


def _spec(values: list[dict[str, Any]], page: Page) -> Spec:
    axis: Spec = {"domain": False, "ticks": False, "grid": True, "labelPadding": 8}
    most = max((value["to"] for value in values), default=1)
    panel: Spec = {
        "width": page.width_px - 20 - AXIS_PX,
        "height": 190 if page.narrow else 240,
        "data": {"values": values},
        "mark": {"type": "rect", "opacity": 1},
        "encoding": {
            "x": {
                "field": "t_s",
                "type": "quantitative",
                "scale": {"domain": [-3, 0], "nice": False},
                "axis": {**axis, "grid": False, "title": "seconds before the crash"},
            },
            "x2": {"field": "end_s"},
            "y": {
                "field": "from",
                "type": "quantitative",
                "scale": {"domain": [0, most * 1.08], "nice": False},
                "axis": {
                    **axis,
                    "title": None,
                    "values": look.round_steps(most * 1.08),
                    "labelExpr": look.THOUSANDS,
                    "minExtent": AXIS_PX - 6,
                    "maxExtent": AXIS_PX - 6,
                },
            },
            "y2": {"field": "to"},
            "color": {
                "field": "what",
                "scale": {"domain": [_SURVIVED, _LOST], "range": [look.LESS, look.MORE]},
                "legend": {"title": None, "orient": "top", "labelFontSize": look.TEXT_PX},
            },
        },
    }
    return document("What was acknowledged before a crash", panel, page)
