"""Findings as a report: HTML, Markdown, terminal, charts. No clock, no network, no run folder.

Imports `dyno.analysis` and `dyno.spec`; the command line imports it.
"""

from __future__ import annotations

from dyno.report.charts import Chart, charts
from dyno.report.html import render_html
from dyno.report.markdown import render_markdown
from dyno.report.terminal import render_terminal

__all__ = ["Chart", "charts", "render_html", "render_markdown", "render_terminal"]
