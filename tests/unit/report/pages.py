"""Pages of made findings, each rendered once a process: drawing its charts takes seconds. And the
words of all forms of a report, to be compared.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import cache

from html_reading import read_html
from rich.console import Console

from dyno.analysis.model import Findings
from dyno.report import render_html, render_markdown, render_terminal


@cache
def page_of(made: Callable[[], Findings]) -> str:
    return render_html(made())


def forms_of(run: Findings, page: str) -> dict[str, str]:
    """The words of each form, by its name, as a reader sees them."""
    console = Console(file=io.StringIO(), width=400, no_color=True, highlight=False)
    console.print(render_terminal(run))
    assert isinstance(console.file, io.StringIO)
    reading = read_html(page)
    assert reading.errors == []
    return {
        "html": " ".join(reading.text.split()),
        "markdown": render_markdown(run).replace("\\_", "_").replace("\\", ""),
        "terminal": " ".join(console.file.getvalue().split()),
    }
