"""The stored samples: real output of tools that are at hand, others written from documentation."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from dyno.graph import Graph, Wanted, charts, read
from dyno.report.charts import Chart

GOLDEN = Path(__file__).parents[2] / "golden" / "graph"
SAMPLES = sorted(p.name for p in GOLDEN.iterdir() if not p.name.endswith(".read.json"))


def graph_of(*names: str, form: str | None = None) -> Graph:
    """Samples by name; "label=name" gives a label."""
    wanted = []
    for name in names:
        label, sign, file = name.rpartition("=")
        wanted.append(Wanted(str(GOLDEN / file), label if sign else None, form))
    return read(wanted)


@cache
def charts_of(*names: str) -> dict[str, Chart]:
    return {chart.name: chart for chart in charts(graph_of(*names))}
