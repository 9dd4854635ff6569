"""The parts of the terminal's report: headings, tables, sections, cells of a comparison."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from dyno.analysis.verdicts.model import Compared
from dyno.report import numbers
from dyno.report.section import Lines, Pairs, Section


def heading(title: str, says: str) -> Text:
    """The heading of a part, and its summary."""
    return Text.assemble("\n", (title, "bold"), "  ", (says, "dim"))


def section(made: Section) -> list[RenderableType]:
    """A section's summary and its lines; nothing if it has only tables."""
    blocks = [block for block in made.blocks if isinstance(block, Lines | Pairs)]
    shown = [line for block in blocks for line in _lines(block)]
    return [heading(made.short, made.says), *shown] if made.says or shown else []


def _lines(block: Lines | Pairs) -> Iterator[Text]:
    if not block.is_brief:
        return
    if isinstance(block, Pairs):
        yield from (Text.assemble((name, "bold"), f"  {said}") for name, said in block.rows)
    elif block.kind == "problem":
        yield from (Text(f"! {line}", "yellow") for line in block.lines)
    else:
        yield from (Text(line, "dim" if block.kind == "quiet" else "") for line in block.lines)


def table(*columns: tuple[str, bool]) -> RichTable:
    """An empty table; a numeric column is right-aligned and never wrapped."""
    made = RichTable(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for name, numeric in columns:
        made.add_column(
            name, justify="right" if numeric else "left", no_wrap=numeric, overflow="fold"
        )
    return made


def estimate(compared: Compared) -> list[Text]:
    """Ratio, interval, n and state of a comparison."""
    state = compared.state + (", tail-driven" if compared.tail_driven else "")
    return [
        Text(numbers.point(compared.ratio), style="bold"),
        Text(numbers.ends(compared.ratio) or numbers.MISSING),
        Text(str(compared.n)),
        Text(state, style="" if compared.state == "different" else "dim"),
    ]
