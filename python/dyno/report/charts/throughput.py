"""The chart of throughput: over connections or over the offered rate, and p95 latency below it.

A run with one point has nothing to draw over: there it is a row of dots per arm.
"""

from __future__ import annotations

from dyno.analysis.load.model import Figure
from dyno.analysis.model import Findings
from dyno.report import load, metrics, numbers
from dyno.report.charts import look
from dyno.report.charts.chart import Chart, Spec, document
from dyno.report.charts.law import fitted
from dyno.report.charts.levels import Levels, levels_of
from dyno.report.charts.look import Page
from dyno.report.charts.over_levels import over_levels, with_latency
from dyno.report.charts.rows import Fields, Row, row_panel
from dyno.report.charts.stack import stacked
from dyno.spec.metrics import METRICS

FIELDS = Fields(
    value="ops_per_s", median="median_ops_per_s", low="min_ops_per_s", high="max_ops_per_s"
)


def chart(findings: Findings) -> Chart | None:
    """Throughput by arm; None if no trial gave any, or for a sweep over scripts, whose throughputs
    have no common axis.
    """
    rate = metrics.headline(findings)
    if not any(figure.metric == rate for figure in findings.figures):
        return None
    levels = levels_of(findings)
    if levels is None and len(findings.points) > 1:
        return None
    title = METRICS[rate].title
    return Chart(
        name="throughput",
        title=title if levels is None else f"{title}, over {levels.over}",
        caption=_caption(findings, levels),
        spec=_spec(findings, levels, look.WIDE),
        narrow=_spec(findings, levels, look.NARROW),
    )


def _caption(findings: Findings, levels: Levels | None) -> str:
    if levels is None:
        return (
            "Each dot is one block, drawn from the first block at the top of a row to the last one "
            "at its bottom; the upright stroke is the median of the blocks. Purple is the "
            "baseline. Further right is better; the axis starts at 0."
        )
    noun = METRICS[metrics.headline(findings)].noun
    said = [
        "Each point is the median of the blocks, the bar its 95 % interval for that arm alone. "
        f"Higher {noun} is better. Arms stand a little apart at each level, to be seen."
    ]
    if with_latency(findings):
        said.append("Below, the p95 latency at the same levels: lower is better.")
    if levels.of_rate:
        said.append("An arm below the dashed line did not keep up with the offered rate.")
    if fitted(findings.scaling):
        said.append("Dashed: the Universal Scalability Law, where it fits.")
    if any(read.n95 is not None for read in findings.scaling):
        said.append("A ring marks N95, the fewest connections with 95 % of the peak.")
    return " ".join(said)


def _spec(findings: Findings, levels: Levels | None, page: Page) -> Spec:
    if levels is None:
        return _at_one_point(findings, page)
    return over_levels(findings, levels, page)


def _at_one_point(findings: Findings, page: Page) -> Spec:
    baselines = {arm.name for arm in findings.arms if arm.baseline}
    rate = metrics.headline(findings)
    unit = METRICS[rate].unit
    drawn = [figure for figure in findings.figures if figure.metric == rate]
    panels = []
    for op in load.ops_with(findings, (figure.op for figure in drawn)):
        rows = [_row(figure, baselines) for figure in drawn if figure.op == op]
        panels.append(
            row_panel(
                op if METRICS[rate].owner != "all ops" else METRICS[rate].title,
                "",
                rows,
                FIELDS,
                page,
                shown=lambda v: f"{numbers.rate(v)} {unit}",
                dots=True,
            )
        )
    axis = {
        "scale": {"type": "linear"},
        "axis": {
            "title": f"{unit}\N{EM SPACE}·\N{EM SPACE}more is better\N{EM SPACE}→",
            "grid": True,
            "domain": False,
            "tickCount": 5 if page.narrow else 8,
            "labelExpr": look.THOUSANDS,
        },
    }
    high = max(figure.max for figure in drawn) * 1.04
    return document(METRICS[rate].title, stacked(panels, page, axis, (0.0, high)), page)


def _row(figure: Figure, baselines: set[str]) -> Row:
    return Row(
        arm=figure.arm,
        baseline=figure.arm in baselines,
        n=figure.n,
        median=figure.median.value,
        low=figure.min,
        high=figure.max,
        blocks=figure.blocks,
        bounds=load.bounds(figure),
    )
