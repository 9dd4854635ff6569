"""The matrix of arms by kinds of crash: a letter and a few words for each cell."""

from __future__ import annotations

from dataclasses import dataclass

from dyno.analysis.durability import KINDS, CellRead, Losses, Mark, short_time
from dyno.report.numbers import MISSING
from dyno.spec.units import plural

LETTERS: dict[Mark, str] = {
    "loses": "L",
    "breaks": "B",
    "keeps": "0",
    "not tested": "?",
    "no crash": MISSING,
}
LEGEND = (
    "L: loses something that was acknowledged. B: doesn't come back whole. 0: no loss was seen. "
    "?: not tested, since the control lost nothing either."
)


@dataclass(frozen=True)
class MatrixCell:
    """A cell: its mark, its letter, and what is below it."""

    mark: Mark
    letter: str
    below: str
    says: str

    @property
    def style(self) -> str:
        """The name of its colours in the style sheet."""
        return f"m-{self.mark.replace(' ', '-')}"


@dataclass(frozen=True)
class Matrix:
    """Headings, and a row of cells for each arm; None where the plan has no such crash."""

    headings: list[str]
    rows: list[tuple[str, list[MatrixCell | None]]]


def matrix(losses: Losses) -> Matrix:
    """All arms by all kinds, in the plan's order."""
    rows = [
        (arm.name, [_cell(losses.cell(arm.name, kind), losses.load.one) for kind in losses.kinds])
        for arm in losses.arms
    ]
    return Matrix([KINDS[kind] for kind in losses.kinds], rows)


def _cell(read: CellRead | None, one: str) -> MatrixCell | None:
    if read is None:
        return None
    return MatrixCell(read.mark, LETTERS[read.mark], below(read, one), read.says)


def below(read: CellRead, one: str) -> str:
    """How often, and how much at most: `one` of it is an op, a new order."""
    if not read.n or read.share is None or read.share.interval is None:
        return ""
    if read.mark in ("keeps", "not tested"):
        return f"0 of {read.n}, below {100 * read.share.interval[1]:.2g} %"
    words = f"{max(read.lossy, read.broken)} of {read.n}"
    if read.lost_most:
        words += f", {plural(read.lost_most, one)}"
    if read.lost_s_most:
        words += f", {short_time(read.lost_s_most)}"
    return words
