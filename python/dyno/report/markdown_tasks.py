"""The part of the Markdown report that only runs with tasks have."""

from __future__ import annotations

from collections.abc import Iterator

from dyno.analysis.model import Findings
from dyno.report import tasks
from dyno.report.markup import code, sheet, text


def section(f: Findings) -> Iterator[str]:
    """What became of the tasks in words, then their tables; nothing for other runs."""
    if f.tasks is None:
        return
    yield from (f"## {tasks.TITLE}", "", text(tasks.says(f)), "")
    yield from (f"- ! {text(line)}" for line in tasks.problems(f))
    for said in (tasks.lines(f), f.tasks.reports, tasks.untold(f)):
        yield from (f"- {text(line)}" for line in said)
    yield ""
    yield from (f"- {text(name)}: {code(doing)}" for name, doing in tasks.done(f))
    yield ""
    for title, means, table in tasks.tables(f):
        yield from (f"### {title}", "", text(means), "", *sheet(table), "")
