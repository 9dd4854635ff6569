"""What servers lose, in the three forms of a report."""

from __future__ import annotations

from dyno.report.losses.forms import losses_html, losses_markdown, losses_terminal, pictures
from dyno.report.losses.picture import last_seconds
from dyno.report.losses.price_picture import prices

__all__ = [
    "last_seconds",
    "losses_html",
    "losses_markdown",
    "losses_terminal",
    "pictures",
    "prices",
]
