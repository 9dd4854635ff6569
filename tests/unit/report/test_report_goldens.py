"""The report's words, compared with kept ones. DYNO_ACCEPT=1 takes new goldens; review the diff."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path

import load_fixtures as loads
import pytest
import report_fixtures as fixtures
from html_reading import read_html
from pages import page_of
from rich.console import Console

from dyno.analysis.model import Findings
from dyno.report import charts, render_markdown, render_terminal

GOLDEN = Path(__file__).parents[2] / "golden" / "report"
MADE: dict[str, Callable[[], Findings]] = {
    "rich": fixtures.rich,
    "damaged": fixtures.damaged,
    "many": fixtures.many,
    "sweep": loads.sweep,
    "profiled": loads.profiled,
    "rates": loads.rates,
    "scripts": loads.scripts,
    "torso": loads.torso,
}


def terminal(findings: Findings, *, width: int) -> str:
    console = Console(file=io.StringIO(), width=width, no_color=True, highlight=False)
    console.print(render_terminal(findings))
    file = console.file
    assert isinstance(file, io.StringIO)
    return "".join(line.rstrip() + "\n" for line in file.getvalue().splitlines())


def captions(made: Callable[[], Findings]) -> str:
    return "".join(f"# {c.name}: {c.title}\n{c.caption}\n\n" for c in charts(made()))


FORMS: dict[str, Callable[[Callable[[], Findings]], str]] = {
    "html.txt": lambda made: read_html(page_of(made)).text,
    "md": lambda made: render_markdown(made()),
    "80.txt": lambda made: terminal(made(), width=80),
    "60.txt": lambda made: terminal(made(), width=60),
    "charts.txt": captions,
}


@pytest.mark.parametrize(
    "form",
    [pytest.param(form, marks=pytest.mark.slow) if form == "html.txt" else form for form in FORMS],
)
@pytest.mark.parametrize("name", MADE)
def test_report_reads_as_accepted(name: str, form: str) -> None:
    written = FORMS[form](MADE[name])
    kept = GOLDEN / f"{name}.{form}"
    if os.environ.get("DYNO_ACCEPT") == "1":
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(written, encoding="utf-8")
    assert kept.exists(), f"{kept} is missing; make it with DYNO_ACCEPT=1 and read it"
    assert written == kept.read_text(encoding="utf-8"), "review, then accept with DYNO_ACCEPT=1"


def test_no_golden_is_left_over() -> None:
    expected = {f"{name}.{form}" for name in MADE for form in FORMS}
    assert {path.name for path in GOLDEN.iterdir()} == expected
