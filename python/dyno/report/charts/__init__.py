"""The pictures of the report: each a Vega-Lite document with its data, drawn without a network."""

from __future__ import annotations

from dyno.analysis.model import Findings
from dyno.report.charts import drift, ratios, times
from dyno.report.charts.chart import Chart

__all__ = ["Chart", "charts"]


def charts(findings: Findings) -> list[Chart]:
    """The charts that the findings have data for, in the order of the report."""
    drawn = (ratios.chart(findings), times.chart(findings), drift.chart(findings))
    return [chart for chart in drawn if chart is not None]
