"""What a search for causes found, in the three forms of a report."""

from __future__ import annotations

from dyno.report.causes.forms import causes_html, causes_markdown, causes_terminal
from dyno.report.causes.picture import shares

__all__ = ["causes_html", "causes_markdown", "causes_terminal", "shares"]
