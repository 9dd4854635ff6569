"""Holds the notes of the ledger's ops against the rows that a server still has. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from dyno.runner.subjects.notes import Timed, noted_before, number, when_lost
from dyno.runner.subjects.subject import Looked
from dyno.spec.ledger import body

Row = tuple[int, int, str]
"""A row as read: (id, version, body)."""
ROWS, PAIRS, VERSIONS = "ledger_rows", "ledger_pairs", "ledger_versions"
_NUMBERS = {"insert": 1, "transaction": 1, "update": 2}


@dataclass(frozen=True)
class Note(Timed):
    """An op that a client knew to be done."""

    op: str
    id: int
    version: int = 0


def read_op(at_s: float, words: list[str]) -> Note:
    """The note of a time and words. Raises ValueError."""
    op, *numbers = words
    if _NUMBERS.get(op) != len(numbers):
        raise ValueError(op)
    return Note(at_s, op, *map(number, numbers))


def judge(
    notes: Sequence[Note],
    tables: Mapping[str, Iterable[Row]],
    cut_s: float,
    logged: Collection[tuple[int, int]] | None = None,
) -> Looked:
    """The account of the notes before `cut_s`, when the power went; infinity if all count. In
    `logged` are id and version of each row in the binary log; None without one.
    """
    found = {name: list(rows) for name, rows in tables.items()}
    counts = {name: Counter(row[0] for row in rows) for name, rows in found.items()}
    versions = {id_: version for id_, version, _ in found.get(VERSIONS, [])}
    counted = noted_before(notes, cut_s)
    lost: list[Note] = []
    kept: list[Note] = []
    incomplete = 0
    for each in counted:
        there = _places(each, counts, versions)
        (kept if all(there) else lost).append(each)
        incomplete += any(there) and not all(there)
    rows, pairs = counts.get(ROWS, Counter()), counts.get(PAIRS, Counter())
    known = {each.id for each in notes if each.op != "update"}
    newest = _newest(notes)
    late = [id_ for id_, version in versions.items() if version > newest.get(id_, 0)]
    lost_s, moments = when_lost(counted, lost, cut_s)
    return Looked(
        lost=len(lost),
        incomplete=incomplete,
        lost_s=lost_s,
        example=_example(lost[0], versions) if lost else None,
        # Of a transaction that nobody acknowledged, both rows are there or none.
        wrong=sum(text != body(i, v) for table in found.values() for i, v, text in table)
        + len(pairs.keys() - rows.keys()),
        twice=sum(n - 1 for count in counts.values() for n in count.values()),
        surplus=len((rows.keys() | pairs.keys()) - known) + len(late),
        moments=moments,
        ahead=None if logged is None else sum((n.id, n.version) in logged for n in lost),
        behind=None if logged is None else sum((n.id, n.version) not in logged for n in kept),
    )


def _places(
    noted: Note, counts: Mapping[str, Counter[int]], versions: Mapping[int, int]
) -> list[bool]:
    """For each row that an op wrote, whether it is there."""
    if noted.op == "update":
        return [versions.get(noted.id, -1) >= noted.version]
    names = (ROWS, PAIRS) if noted.op == "transaction" else (ROWS,)
    return [noted.id in counts.get(name, ()) for name in names]


def _newest(notes: Iterable[Note]) -> dict[int, int]:
    """The newest version of each row that a client knew of."""
    newest: dict[int, int] = {}
    for each in notes:
        if each.op == "update":
            newest[each.id] = max(each.version, newest.get(each.id, 0))
    return newest


def _example(noted: Note, versions: Mapping[int, int]) -> str:
    if noted.op != "update":
        return f"{noted.op} of id {noted.id}"
    found = versions.get(noted.id)
    has = "the row is gone" if found is None else f"version {found} is there"
    return f"update of id {noted.id} to version {noted.version}: {has}"
