"""The page of `dyno graph`: one HTML file that loads nothing, in the looks of the report.

Pure: the same graph and command give the same bytes. Every text is escaped by Jinja.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from dyno.graph.data import document
from dyno.graph.model import Graph
from dyno.graph.table import files_sheet, limits, runs_sheet
from dyno.report.charts.chart import Chart
from dyno.report.forms import html
from dyno.spec.units import plural

TEMPLATES = Path(__file__).parent / "templates"


def render_page(graph: Graph, charts: list[Chart], command: str) -> str:
    """The whole page; `command` is what repeats it."""
    data = json.dumps(document(graph), ensure_ascii=False, separators=(",", ":"))
    packed = gzip.compress(data.encode(), compresslevel=9, mtime=0)
    return (
        html.environment(TEMPLATES)
        .get_template("graph.html")
        .render(
            title=_title(graph),
            files=files_sheet(graph),
            runs=runs_sheet(graph),
            limits=limits(graph, charts),
            pictures=[html.picture(chart) for chart in charts],
            command=command,
            summary=f"{plural(len(graph.runs), 'run')} of {plural(len(graph.arms), 'arm')} in "
            f"{plural(len(graph.readings), 'file')}",
            data_uri=html.data_uri("application/gzip", packed),
        )
    )


def _title(graph: Graph) -> str:
    shown = ", ".join(graph.arms[:3])
    return f"{shown} and {len(graph.arms) - 3} more" if len(graph.arms) > 3 else shown
