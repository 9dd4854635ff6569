"""A section of the report before it is HTML, Markdown or lines of a terminal: made once, for all.

A section is an anchor, a title, a summary, and blocks in order. No markup here. The terminal shows
a section's summary and its lines; tables are for the other forms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from dyno.analysis.model import Findings
from dyno.analysis.profiles.model import Flame
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
    # On the page: the label of a fold that hides them until somebody opens it.
    folded: str = ""
    form: ClassVar[str] = "lines"

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show."""
        return not self.lines


@dataclass(frozen=True)
class Code:
    """What a program reads, such as SQL; the terminal leaves it out."""

    text: str
    title: str = ""
    form: ClassVar[str] = "code"

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show."""
        return not self.text


@dataclass(frozen=True)
class Pairs:
    """Names and what each is; `code` for what a program reads, `code_names` for its names."""

    rows: list[tuple[str, str]]
    title: str = ""
    code: bool = False
    code_names: bool = False
    is_brief: bool = True
    form: ClassVar[str] = "pairs"

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show."""
        return not self.rows


@dataclass(frozen=True)
class Table:
    """A sheet and its explanation. `whole` has all points if the sheet has only a few, and `shown`
    says which those are, for a form that can't show both. `folded`: on the page it is shown when
    somebody opens what is called so; other forms leave it out.
    """

    form: ClassVar[str] = "table"
    sheet: Sheet
    lead: str = ""
    title: str = ""
    whole: Sheet | None = None
    shown: str = ""
    folded: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show."""
        return not self.sheet.rows


@dataclass(frozen=True)
class FlameGraph:
    """Two arms' functions as a tree, drawn on the page by a script: wide is dear in `arm`, and
    coloured is what differs from `against`. Other forms say that it is there.
    """

    flame: Flame
    arm: str
    against: str
    caption: str
    title: str = ""
    form: ClassVar[str] = "flames"

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show."""
        return not self.flame.names

    @property
    def data(self) -> dict[str, Any]:
        """What the script draws. `own`: the difference of a node without those below it."""
        tree = self.flame
        apart = [a - b for a, b in zip(tree.points, tree.baseline_points, strict=True)]
        own = list(apart)
        for parent, difference in zip(tree.parents, apart, strict=True):
            if parent >= 0:
                own[parent] -= difference
        return {
            "arm": self.arm,
            "against": self.against,
            "names": tree.names,
            "parents": tree.parents,
            "points": tree.points,
            "baseline": tree.baseline_points,
            "own": [round(each, 3) for each in own],
        }


Block = Lines | Code | Pairs | Table | FlameGraph


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


def titled(title: str, blocks: Sequence[Block]) -> list[Block]:
    """The blocks that have something to show, the first of them with a title."""
    shown = [block for block in blocks if not block.is_empty]
    return [replace(block, title="" if place else title) for place, block in enumerate(shown)]


def problems(lines: Iterable[str]) -> Lines:
    """What is wrong, each marked."""
    return Lines(list(lines), "problem")
