"""GitHub-flavoured building blocks: plain text, code spans, tables. Knows nothing of findings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from dyno.report.sheets import Cell, Sheet

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~])")


def text(raw: object) -> str:
    """`raw` as plain text on one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(str(raw).split())).replace("&", "&amp;")


def code(raw: str, *, in_table: bool = False) -> str:
    """`raw` as a code span on one line. A table needs its bars escaped even there."""
    line = " ".join(raw.split())
    if in_table:
        line = line.replace("|", "\\|")
    longest = max((len(ticks) for ticks in re.findall(r"`+", line)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if line[:1] == "`" or line[-1:] == "`" else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def table(headings: Iterable[str], rows: Iterable[Iterable[str]], numeric: str = "") -> list[str]:
    """A table of ready cells; `numeric` has an "r" for each column that is set to the right."""
    names = list(headings)
    rules = ["---:" if numeric[i : i + 1] == "r" else "---" for i in range(len(names))]
    found = [_row(names), _row(rules), *(_row(row) for row in rows)]
    return [*found, ""]


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def sheet(made: Sheet) -> Iterator[str]:
    """A table made in sheets.py; its sections' titles become the first column."""
    titled = any(section.title for section in made.sections)
    headings = [made.corner]
    headings += [text(f"{c.title} ({c.way})" if c.way else c.title) for c in made.columns]
    rows = []
    for section in made.sections:
        for row in section.rows:
            name = code(row.name, in_table=True) if row.code else text(row.name)
            name += f" ({row.flag})" if row.flag else ""
            cells = [name, *(_cell(cell) for cell in row.cells)]
            rows.append([text(section.title), *cells] if titled else cells)
    lead = " " if not titled else "  "
    yield from table(
        [made.group, *headings] if titled else headings, rows, lead + "r" * len(made.columns)
    )


def own_part(
    title: str,
    says: str,
    problems: Iterable[str],
    tables: Iterable[tuple[str, str, Sheet]],
    deviations: tuple[str, Iterable[str]],
) -> Iterator[str]:
    """A part that only one workload has: words, what is wrong, tables with a title ("" for none)
    and a lead each, deviations under a title.
    """
    yield from (f"## {title}", "", text(says), "")
    yield from (f"- ! {text(line)}" for line in problems)
    yield ""
    for heading, lead, made in tables:
        if heading:
            yield from (f"### {heading}", "")
        yield from (text(lead), "", *sheet(made), "")
    yield from (f"### {deviations[0]}", "")
    yield from (f"- {text(line)}" for line in deviations[1])


def _cell(cell: Cell) -> str:
    mark = "! " if cell.warn else ""
    return text(f"{mark}{cell.text} ({cell.below})" if cell.below else f"{mark}{cell.text}")
