"""GitHub-flavoured building blocks: plain text, code, tables, sections. Knows no findings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from dyno.report.section import Block, Code, FlameGraph, Lines, Pairs, Section, Table
from dyno.report.sheets import Cell, Sheet

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~])")


def text(raw: object) -> str:
    """`raw` as plain text on one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(str(raw).split())).replace("&", "&amp;")


def code(raw: str, *, in_table: bool = False) -> str:
    """`raw` as a code span on one line. Inside a table its bars are escaped even there."""
    line = " ".join(raw.split())
    if in_table:
        line = line.replace("|", "\\|")
    longest = max((len(ticks) for ticks in re.findall(r"`+", line)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if line[:1] == "`" or line[-1:] == "`" else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def table(headings: Iterable[str], rows: Iterable[Iterable[str]], numeric: str = "") -> list[str]:
    """A table of rendered cells; `numeric` has an "r" for each right-aligned column."""
    names = list(headings)
    rules = ["---:" if numeric[i : i + 1] == "r" else "---" for i in range(len(names))]
    found = [_row(names), _row(rules), *(_row(row) for row in rows)]
    return [*found, ""]


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def sheet(made: Sheet) -> Iterator[str]:
    """A table made in sheets.py; its groups' titles become the first column."""
    titled = any(group.title for group in made.groups)
    headings = [made.corner]
    headings += [text(f"{c.title} ({c.way})" if c.way else c.title) for c in made.columns]
    rows = []
    for group in made.groups:
        for row in group.rows:
            name = code(row.name, in_table=True) if row.code else text(row.name)
            name += f" ({row.flag})" if row.flag else ""
            cells = [name, *(_cell(cell) for cell in row.cells)]
            rows.append([text(group.title), *cells] if titled else cells)
    lead = " " if not titled else "  "
    sides = "".join("r" if column.numeric else " " for column in made.columns)
    yield from table([made.grouped_by, *headings] if titled else headings, rows, lead + sides)


def page(lines: Iterable[str]) -> str:
    """A whole page of lines, with one empty line where there are more."""
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"


def section(made: Section) -> Iterator[str]:
    """A section made in section.py."""
    yield from (f"## {made.title}", "")
    if made.says:
        yield from (text(made.says), "")
    for block in made.blocks:
        if not block.is_empty and not (isinstance(block, Table) and block.folded):
            yield from (f"### {text(block.title)}", "") if block.title else ()
            yield from _block(block)
            yield ""


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Lines):
        mark = "! " if block.kind == "problem" else ""
        yield from (f"- {mark}{text(line)}" for line in block.lines)
    elif isinstance(block, Code):
        yield code(block.text)
    elif isinstance(block, Pairs):
        name_of, shown = (code if block.code_names else text), (code if block.code else text)
        yield from (f"- {name_of(name)}: {shown(said)}" for name, said in block.rows)
    elif isinstance(block, FlameGraph):
        yield "The HTML report draws it."
    else:
        yield from (text(f"{block.lead} {block.shown}"), "", *sheet(block.sheet))


def _cell(cell: Cell) -> str:
    mark = "! " if cell.warn else ""
    return text(f"{mark}{cell.text} ({cell.below})" if cell.below else f"{mark}{cell.text}")
