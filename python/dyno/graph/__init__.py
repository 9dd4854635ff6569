"""Output of load tools as charts: read files of several formats, draw them, make one page.

It reads and draws, but measures and judges nothing: a file of another tool has no blocks, so no
interval and no verdict. Imports `dyno.report.charts` and what lies below it; the CLI imports it.
"""

from __future__ import annotations

from dyno.graph.charts import charts
from dyno.graph.data import document
from dyno.graph.formats import NAMES
from dyno.graph.model import Graph
from dyno.graph.page import render_page
from dyno.graph.read import Wanted, read

__all__ = ["NAMES", "Graph", "Wanted", "charts", "document", "read", "render_page"]
