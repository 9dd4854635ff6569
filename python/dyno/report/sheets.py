"""A table before it is HTML or Markdown: columns, groups of rows, and cells that may be missing.

The words and figures of a table are made once, for every form of the report. No markup here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from dyno.analysis.part import Estimate
from dyno.report import numbers


@dataclass(frozen=True)
class Cell:
    """A figure as text; `below` is a second, smaller line. `missing` says why there is none."""

    text: str
    below: str = ""
    missing: str = ""
    warn: bool = False


@dataclass(frozen=True)
class Column:
    """A column's heading; `way` says which way is better, if any."""

    title: str
    way: str = ""
    numeric: bool = True


@dataclass(frozen=True)
class Row:
    """A row: its name and its cells. `code` is for names that come from a program."""

    name: str
    cells: list[Cell]
    flag: str = ""
    code: bool = False


@dataclass(frozen=True)
class Group:
    """Rows under their own heading; no heading if the table has one group."""

    title: str
    rows: list[Row]


@dataclass(frozen=True)
class Sheet:
    """A table. `corner` is the heading of the rows' names, `grouped_by` of the groups' titles."""

    name: str
    corner: str
    columns: list[Column]
    groups: list[Group] = field(default_factory=list)
    grouped_by: str = ""

    @property
    def rows(self) -> int:
        """The number of rows in all groups together."""
        return sum(len(group.rows) for group in self.groups)


def given(text: str, below: str = "", *, warn: bool = False) -> Cell:
    """A cell with a figure."""
    return Cell(text, below, "", warn)


def estimated(
    found: Estimate | None, words: Callable[[float], str] = numbers.significant, *, why: str
) -> Cell:
    """An estimate with its interval below, or `why` there is none."""
    return missing(why) if found is None else given(words(found.value), numbers.ends(found, words))


def missing(why: str = numbers.UNAVAILABLE) -> Cell:
    """A cell without a figure, which is never 0."""
    return Cell(numbers.MISSING, missing=why)
