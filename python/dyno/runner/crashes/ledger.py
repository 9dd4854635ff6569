"""Holds what dynoload wrote down against what a server still has. Pure but for reading the file."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dyno.errors import LoadError
from dyno.spec.ledger import body
from dyno.store.crash import Moment

Row = tuple[int, int, str]
"""A row as read: (id, version, body)."""
ROWS, PAIRS, VERSIONS = "ledger_rows", "ledger_pairs", "ledger_versions"
_WORDS = {"insert": 2, "transaction": 2, "update": 3}
_MOMENT_S = 0.05
_MOMENTS = 60


@dataclass(frozen=True)
class Note:
    """An op that a client knew to be done at a time of the system's monotonic clock."""

    at_s: float
    op: str
    id: int
    version: int = 0


@dataclass(frozen=True)
class Judged:
    """The account, in the terms of `Crash`."""

    acknowledged: int
    lost: int
    incomplete: int
    lost_s: float | None
    example: str | None
    wrong: int
    twice: int
    surplus: int
    moments: list[Moment]
    ahead: int | None
    behind: int | None


def read_notes(path: Path) -> list[Note]:
    """The notes in the order in which they were written. A last line without a line end is left
    out: it is truncated. Raises LoadError for a line that isn't a note.
    """
    if not path.exists():  # Nobody connected before the crash.
        return []
    whole, _, _ = path.read_text("ascii", errors="replace").rpartition("\n")
    return [_note(line, number) for number, line in enumerate(whole.splitlines(), 1)]


def _note(line: str, number: int) -> Note:
    at_ns, *words = line.split(" ")
    numbers = [at_ns, *words[1:]]
    is_note = words and _WORDS.get(words[0]) == len(words)
    if not is_note or not all(word.isascii() and word.isdigit() for word in numbers):
        raise LoadError(
            f"line {number} of dynoload's notes is {line!r}",
            hint="if dyno and dynoload come from different versions, install them together",
        )
    return Note(int(at_ns) / 1e9, words[0], *map(int, words[1:]))


def counted_notes(notes: Iterable[Note], cut_s: float) -> list[Note]:
    """Those from before the power went."""
    return [note for note in notes if note.at_s < cut_s]


def judge(
    notes: Sequence[Note],
    tables: Mapping[str, Iterable[Row]],
    cut_s: float,
    logged: Collection[tuple[int, int]] | None = None,
) -> Judged:
    """The account of the notes before `cut_s`, when the power went; infinity if all count, as after
    SIGKILL: what a client knows then, the server had sent before. `logged`: id and version of each
    row in the binary log; None without one.
    """
    found = {name: list(rows) for name, rows in tables.items()}
    counts = {name: Counter(row[0] for row in rows) for name, rows in found.items()}
    versions = {id_: version for id_, version, _ in found.get(VERSIONS, [])}
    counted = counted_notes(notes, cut_s)
    lost: list[Note] = []
    kept: list[Note] = []
    incomplete = 0
    for note in counted:
        there = _places(note, counts, versions)
        (kept if all(there) else lost).append(note)
        incomplete += any(there) and not all(there)
    rows, pairs = counts.get(ROWS, Counter()), counts.get(PAIRS, Counter())
    known = {note.id for note in notes if note.op != "update"}
    newest = _newest(notes)
    late = [id_ for id_, version in versions.items() if version > newest.get(id_, 0)]
    end_s = cut_s if cut_s < math.inf else max((note.at_s for note in counted), default=0.0)
    return Judged(
        acknowledged=len(counted),
        lost=len(lost),
        incomplete=incomplete,
        lost_s=round(end_s - min(note.at_s for note in lost), 4) if lost else None,
        example=_example(lost[0], versions) if lost else None,
        # Of a transaction that nobody acknowledged, both rows are there or none.
        wrong=sum(text != body(i, v) for table in found.values() for i, v, text in table)
        + len(pairs.keys() - rows.keys()),
        twice=sum(n - 1 for count in counts.values() for n in count.values()),
        surplus=len((rows.keys() | pairs.keys()) - known) + len(late),
        moments=_moments(counted, lost, end_s) if lost else [],
        ahead=None if logged is None else sum((n.id, n.version) in logged for n in lost),
        behind=None if logged is None else sum((n.id, n.version) not in logged for n in kept),
    )


def _places(
    note: Note, counts: Mapping[str, Counter[int]], versions: Mapping[int, int]
) -> list[bool]:
    """For each row that an op wrote, whether it is there."""
    if note.op == "update":
        return [versions.get(note.id, -1) >= note.version]
    names = (ROWS, PAIRS) if note.op == "transaction" else (ROWS,)
    return [note.id in counts.get(name, ()) for name in names]


def _newest(notes: Iterable[Note]) -> dict[int, int]:
    """The newest version of each row that a client knew of."""
    newest: dict[int, int] = {}
    for note in notes:
        if note.op == "update":
            newest[note.id] = max(note.version, newest.get(note.id, 0))
    return newest


def _example(note: Note, versions: Mapping[int, int]) -> str:
    if note.op != "update":
        return f"{note.op} of id {note.id}"
    found = versions.get(note.id)
    has = "the row is gone" if found is None else f"version {found} is there"
    return f"update of id {note.id} to version {note.version}: {has}"


def _moments(counted: Sequence[Note], lost: Sequence[Note], end_s: float) -> list[Moment]:
    """The last three seconds, a twentieth each, from the oldest on."""

    def by_moment(notes: Iterable[Note]) -> Counter[int]:
        return Counter(int((end_s - note.at_s) / _MOMENT_S) for note in notes)

    all_, gone = by_moment(counted), by_moment(lost)
    return [
        Moment(before_s=round((n + 1) * _MOMENT_S, 2), acknowledged=all_[n], lost=gone[n])
        for n in reversed(range(_MOMENTS))
    ]
