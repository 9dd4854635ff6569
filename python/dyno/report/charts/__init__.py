"""The pictures of the report: each a Vega-Lite document with its data, drawn without a network."""

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

    Of loads the throughput comes first, because its ratios are read from it; of statements the
    ratios, because the ops' times have little to do with each other.
    """
    found = [
        throughput.chart(findings),
        *ratios.drawn(findings),
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
