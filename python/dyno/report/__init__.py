"""Findings as a report: HTML, Markdown, terminal, charts. No clock, no network, no run folder.

Imports `dyno.analysis` and `dyno.spec`; the command line imports it.
"""

from __future__ import annotations

from dyno.report.charts import Chart, charts
from dyno.report.forms.html import render_html
from dyno.report.forms.markdown import render_markdown
from dyno.report.forms.terminal import render_terminal

__all__ = ["Chart", "charts", "render_html", "render_markdown", "render_terminal"]
