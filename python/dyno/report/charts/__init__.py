"""The charts of the report: each a Vega-Lite document with its data, drawn without a network."""

from __future__ import annotations

from dyno.analysis.model import Findings
from dyno.report.charts import (
    drift,
    engine,
    latency,
    ratios,
    series,
    size,
    task_progress,
    tasks_beside,
    throughput,
    times,
)
from dyno.report.charts.chart import Chart

__all__ = ["Chart", "charts"]


def charts(findings: Findings) -> list[Chart]:
    """The charts that the findings have data for, in the order of the report.

    The first answers the question: the ratios with their intervals and the expectations of claims,
    or the throughput over the levels of a sweep.
    """
    levels = throughput.chart(findings)
    swept = len(findings.points) > 1
    found = [
        *([levels] if swept else []),
        *ratios.charts(findings),
        *([] if swept else [levels]),
        latency.chart(findings),
        series.chart(findings),
        tasks_beside.chart(findings),
        task_progress.chart(findings),
        engine.chart(findings),
        size.chart(findings),
        times.chart(findings),
        drift.chart(findings),
    ]
    return [chart for chart in found if chart is not None]
