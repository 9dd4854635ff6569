"""Pages of made findings, each rendered once a process: drawing its charts takes seconds."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from dyno.analysis.model import Findings
from dyno.report import render_html


@cache
def page_of(made: Callable[[], Findings]) -> str:
    return render_html(made())
