"""The charts of load tools' output, in the order of the page. Each has its own file."""

from __future__ import annotations

from dyno.graph.charts import over_levels, over_time, percentiles
from dyno.graph.model import Graph
from dyno.report.charts.chart import Chart

__all__ = ["charts"]


def charts(graph: Graph) -> list[Chart]:
    """The charts that the files have data for."""
    found = [
        over_levels.throughput(graph),
        over_levels.seconds(graph),
        over_levels.latency(graph),
        percentiles.chart(graph),
        over_time.throughput(graph),
        over_time.latency(graph),
        over_time.queue(graph),
    ]
    return [chart for chart in found if chart is not None]
