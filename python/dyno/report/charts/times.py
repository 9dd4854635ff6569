"""The chart of times: every block's elapsed time by op and arm, and the median of the blocks."""

from __future__ import annotations

from dyno.analysis.model import Findings, Times
from dyno.report import numbers
from dyno.report.charts import look
from dyno.report.charts.chart import Chart, Spec, document
from dyno.report.charts.look import Page
from dyno.report.charts.rows import Fields, Row, row_panel
from dyno.report.charts.stack import stacked

DOTS_MOST = 1000
LOG_FROM = 25.0
FIELDS = Fields(value="elapsed_s", median="median_s", low="min_s", high="max_s")


def chart(findings: Findings) -> Chart | None:
    """Times by op and arm; None if no trial gave any."""
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


def _row(times: Times, baselines: set[str]) -> Row:
    return Row(
        arm=times.arm,
        baseline=times.arm in baselines,
        n=times.n,
        median=times.median_s,
        low=times.min_s,
        high=times.max_s,
        blocks=times.blocks,
    )


def _spec(findings: Findings, page: Page) -> Spec:
    baselines = {arm.name for arm in findings.arms if arm.baseline}
    dots = _dots(findings)
    panels = []
    for op in findings.ops:
        here = [times for times in findings.times if times.op == op.name and times.blocks]
        if here:
            rows = [_row(times, baselines) for times in here]
            panels.append(
                row_panel(
                    op.name,
                    op.says or op.sql,
                    rows,
                    FIELDS,
                    page,
                    shown=numbers.seconds,
                    dots=dots,
                )
            )
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
