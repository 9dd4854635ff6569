"""The part of the terminal's report that only runs with tasks have: a line a task and arm."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from dyno.analysis.model import Findings
from dyno.report import tasks
from dyno.report.terminal_parts import heading


def parts(findings: Findings) -> Iterator[RenderableType]:
    """What became of the tasks; the tables are in the other forms."""
    if findings.tasks is None:
        return
    yield heading(tasks.TITLE, tasks.says(findings))
    yield from (Text(f"! {line}", "yellow") for line in tasks.problems(findings))
    for said in (tasks.lines(findings), findings.tasks.reports):
        yield from (Text(line) for line in said)
    yield from (Text(line, "dim") for line in tasks.untold(findings))
