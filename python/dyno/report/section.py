"""A section of the report before it is HTML, Markdown or lines of a terminal: made once, for all.

A section is an anchor, a title, a summary, and blocks in order. No markup here. The terminal shows
a section's summary and its lines; tables are for the other forms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from dyno.analysis.model import Findings
from dyno.report.sheets import Sheet

LineKind = Literal["plain", "problem", "quiet"]


@dataclass(frozen=True)
class Lines:
    """Sentences, one below the other. The block is left out if there are none."""

    lines: list[str]
    kind: LineKind = "plain"
    title: str = ""
    # Whether the terminal shows them, too.
    is_brief: bool = True
    # On the page: they are shown when somebody opens what is called so.
    folded: str = ""
    form: ClassVar[str] = "lines"

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show."""
        return not self.lines


@dataclass(frozen=True)
class Pairs:
    """Names and what each is; `code` for what a program reads."""

    rows: list[tuple[str, str]]
    title: str = ""
    code: bool = False
    is_brief: bool = True
    form: ClassVar[str] = "pairs"

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show."""
        return not self.rows


@dataclass(frozen=True)
class Table:
    """A sheet and its explanation. `whole` has all points if the sheet has only a few, and `shown`
    says which those are, for a form that can't show both.
    """

    form: ClassVar[str] = "table"
    sheet: Sheet
    lead: str = ""
    title: str = ""
    whole: Sheet | None = None
    shown: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show."""
        return not self.sheet.rows


Block = Lines | Pairs | Table


@dataclass(frozen=True)
class Section:
    """`name` is its anchor, `label` its short title, `says` its result in a sentence."""

    name: str
    title: str
    blocks: Sequence[Block]
    says: str = ""
    label: str = ""

    @property
    def short(self) -> str:
        """Its title in a table of contents."""
        return self.label or self.title


def at_points(
    sheet: Callable[..., Sheet], findings: Findings, lead: str, title: str = "", shown: str = ""
) -> Table:
    """A table of a few points, and with `all_points` of all."""
    return Table(sheet(findings), lead, title, sheet(findings, all_points=True), shown)


def problems(lines: Iterable[str]) -> Lines:
    """What is wrong, each marked."""
    return Lines(list(lines), "problem")
