"""The picture of times: every block's elapsed time by op and arm, and the median of the blocks."""

from __future__ import annotations

from typing import Any

from dyno.analysis.model import Findings, OpRead, Times
from dyno.report import numbers
from dyno.report.charts import look
from dyno.report.charts.chart import Chart, Spec, document
from dyno.report.charts.look import Page
from dyno.report.charts.stack import Panel, stacked

DOTS_MOST = 1000
LOG_FROM = 25.0


def chart(findings: Findings) -> Chart | None:
    """Times by op and arm; None where no trial gave any."""
    if not any(times.blocks for times in findings.times):
        return None
    return Chart(
        name="times",
        title="Elapsed time, by op and arm",
        caption=_caption(findings),
        spec=_spec(findings, look.WIDE),
        narrow=_spec(findings, look.NARROW),
    )


def _dots(findings: Findings) -> bool:
    return sum(len(times.blocks) for times in findings.times) <= DOTS_MOST


def _logarithmic(findings: Findings) -> bool:
    medians = [times.median_s for times in findings.times if times.median_s > 0]
    return bool(medians) and max(medians) > LOG_FROM * min(medians)


def _caption(findings: Findings) -> str:
    what = (
        "Each dot is one block, drawn from the first block at the top of a row to the last one at "
        "its bottom; the upright stroke is the median of the blocks."
        if _dots(findings)
        else "The line goes from the fastest to the slowest block, the upright stroke is the "
        "median of the blocks (too many blocks to draw each; all are in the findings)."
    )
    scale = "a log axis" if _logarithmic(findings) else "an axis that starts at 0"
    return f"{what} Purple is the baseline. Seconds, on {scale}."


def _spec(findings: Findings, page: Page) -> Spec:
    baselines = {arm.name for arm in findings.arms if arm.baseline}
    dots = _dots(findings)
    panels = []
    for op in findings.ops:
        here = [times for times in findings.times if times.op == op.name and times.blocks]
        if here:
            panels.append(_panel(op, here, baselines, dots, page))
    logarithmic = _logarithmic(findings)
    ends = [end for t in findings.times if t.blocks for end in (t.min_s, t.max_s)]
    low = min(end for end in ends if end > 0) / 1.1 if logarithmic else 0.0
    high = max(ends) * 1.04
    ticks: Spec = {"tickCount": 5 if page.narrow else 8}
    if logarithmic:
        ticks = {"values": look.steps(low, high)}
    axis = {
        "scale": {"type": "log"} if logarithmic else {"type": "linear"},
        "axis": {
            "title": "seconds (log axis)" if logarithmic else "seconds",
            "grid": True,
            "domain": False,
            **ticks,
            "format": "~r",
        },
    }
    return document("Elapsed times", stacked(panels, page, axis, (low, high)), page)


def _panel(op: OpRead, here: list[Times], baselines: set[str], dots: bool, page: Page) -> Panel:
    values: list[dict[str, Any]] = []
    for times in here:
        common = {"row": times.arm, "base": "yes" if times.arm in baselines else "no"}
        median = numbers.seconds(times.median_s)
        values.append(
            {
                **common,
                "kind": "label",
                "name": times.arm,
                "median_s": times.median_s,
                "min_s": times.min_s,
                "max_s": times.max_s,
                "n": times.n,
                "figure": f"{median}, n = {times.n}",
                "brief": f"{median}, n = {times.n}",
                "words": f"{op.name}, {times.arm}: median {median} of {times.n} blocks, "
                f"{numbers.seconds(times.min_s)} to {numbers.seconds(times.max_s)}",
            }
        )
        if dots:
            values += _block_values(op.name, times, common)
    return Panel(op.name, op.says or op.sql, [t.arm for t in here], values, _layers(dots, page))


def _block_values(op: str, times: Times, common: dict[str, str]) -> list[dict[str, Any]]:
    last = max(len(times.blocks) - 1, 1)
    return [
        {
            **common,
            "kind": "block",
            "block": each.block,
            "elapsed_s": each.value,
            "lane": round(12 * (place / last - 0.5), 2),
            "words": f"{op}, {times.arm}, block {each.block}: {numbers.seconds(each.value)}",
        }
        for place, each in enumerate(times.blocks)
    ]


def _layers(dots: bool, page: Page) -> list[Spec]:
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
        "encoding": {"x": {"field": "min_s"}, "x2": {"field": "max_s"}, "color": colour},
    }
    if dots:
        spread = {
            "transform": [{"filter": "datum.kind == 'block'"}],
            "mark": {"type": "point", "filled": True, "size": 15, "opacity": 0.75},
            "encoding": {
                "x": {"field": "elapsed_s"},
                "color": colour,
                "yOffset": {"field": "lane", "type": "quantitative"}
                | {"scale": {"domain": [-room, room]}},
                "description": words,
            },
        }
    median: Spec = {
        "transform": label,
        "mark": {"type": "tick", "thickness": 1.6, "size": 20, "color": look.INK, "opacity": 1},
        "encoding": {"x": {"field": "median_s"}, "description": words},
    }
    return [median, spread]
