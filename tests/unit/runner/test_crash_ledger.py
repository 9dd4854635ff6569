"""What was acknowledged against what is there, by hand and for any history."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyno.errors import LoadError
from dyno.runner.subjects.binlog import rows_in
from dyno.runner.subjects.ledger import PAIRS, ROWS, VERSIONS, Note, Row, judge
from dyno.runner.subjects.ops import AcknowledgedOps, Ops
from dyno.spec.crash_load import Ledger
from dyno.spec.ledger import LedgerOp, body


def row(id_: int, version: int = 0) -> Row:
    return id_, version, body(id_, version)


NOTES = [
    Note(1.0, "insert", 10),
    Note(1.1, "transaction", 11),
    Note(1.2, "update", 3, 12),
    Note(1.3, "update", 3, 15),
    Note(1.4, "insert", 16),
]
ALL = {ROWS: [row(10), row(11), row(16)], PAIRS: [row(11)], VERSIONS: [row(3, 15), row(4)]}


def test_nothing_is_lost_where_all_is_there() -> None:
    found = judge(NOTES, ALL, math.inf)
    assert (found.lost, found.lost_s) == (0, None)
    assert (found.wrong, found.twice, found.surplus, found.moments) == (0, 0, 0, [])


def test_what_is_acknowledged_after_the_cut_does_not_count() -> None:
    kept = {ROWS: [row(10), row(11)], PAIRS: [row(11)], VERSIONS: [row(3, 15)]}
    assert judge(NOTES, kept, 1.35).lost == 0
    assert AcknowledgedOps(NOTES, [], 1.35).count == 4
    assert judge(NOTES, kept, math.inf).lost == 1
    assert AcknowledgedOps(NOTES, [], math.inf).count == 5


def test_a_row_that_went_back_is_a_lost_update() -> None:
    found = judge(NOTES, {**ALL, VERSIONS: [row(3, 12)]}, 2.0)
    assert (found.lost, found.example) == (1, "update of id 3 to version 15: version 12 is there")
    assert found.lost_s == pytest.approx(0.7), "before the cut"
    gone = judge(NOTES, {**ALL, VERSIONS: []}, 2.0)
    assert (gone.lost, gone.example) == (2, "update of id 3 to version 12: the row is gone")


def test_half_a_transaction_is_lost_in_part() -> None:
    found = judge(NOTES, {**ALL, PAIRS: []}, 2.0)
    assert (found.lost, found.incomplete, found.example) == (1, 1, "transaction of id 11")
    unasked = judge(NOTES, {**ALL, PAIRS: [row(11), row(99)]}, 2.0)
    assert (unasked.lost, unasked.wrong, unasked.surplus) == (0, 1, 1)


def test_wrong_double_and_unknown_rows_are_counted() -> None:
    odd = [row(10), row(10), (11, 0, body(11, 1)), row(16), row(77)]
    found = judge(NOTES, {**ALL, ROWS: odd}, math.inf)
    assert (found.wrong, found.twice, found.surplus) == (1, 1, 1)
    newer = judge(NOTES, {**ALL, VERSIONS: [row(3, 15), row(4, 8)]}, math.inf)
    assert newer.surplus == 1


def test_the_last_moments_hold_what_was_lost() -> None:
    found = judge(NOTES, {**ALL, ROWS: [row(10), row(11)]}, math.inf)
    lost = [moment for moment in found.moments if moment.lost]
    assert [(moment.before_s, moment.lost) for moment in lost] == [(0.05, 1)]
    assert sum(moment.acknowledged for moment in found.moments) == 5


@given(st.lists(st.sampled_from(["insert", "transaction", "update"]), max_size=40), st.data())
def test_any_loss_of_rows_is_counted_exactly(ops: list[str], data: st.DataObject) -> None:
    notes = [
        Note(float(n), op, n % 5 if op == "update" else n + 100, n + 1 if op == "update" else 0)
        for n, op in enumerate(ops)
    ]
    rows = [note.id for note in notes if note.op != "update"]
    kept = [id_ for id_ in rows if data.draw(st.booleans())]
    pairs = [note.id for note in notes if note.op == "transaction"]
    newest = {note.id: note.version for note in notes if note.op == "update"}
    tables = {
        ROWS: [row(id_) for id_ in kept],
        PAIRS: [row(id_) for id_ in pairs if id_ in kept],
        VERSIONS: [row(id_, version) for id_, version in newest.items()],
    }
    found = judge(notes, tables, math.inf)
    assert (found.lost, found.incomplete) == (len(rows) - len(kept), 0)
    assert (found.wrong, found.twice, found.surplus) == (0, 0, 0)


def read_notes(path: Path) -> list[Note]:
    return Ops(Ledger()).acknowledged(path, math.inf).notes


def test_notes_are_read_without_a_torn_last_line(tmp_path: Path) -> None:
    path = tmp_path / "notes"
    assert read_notes(path) == []
    path.write_text("1500000000 insert 10\n2000000000 update 3 12\n2500000000 transac")
    assert read_notes(path) == [Note(1.5, "insert", 10), Note(2.0, "update", 3, 12)]


@pytest.mark.parametrize("line", ["", "1 insert", "1 insert 2 3", "1 update 2", "x insert 2", "1"])
def test_any_other_line_is_refused(tmp_path: Path, line: str) -> None:
    path = tmp_path / "notes"
    path.write_text(f"1 insert 10\n{line}\n1 insert 12\n")
    with pytest.raises(LoadError, match="line 2 of dynoload's notes"):
        read_notes(path)


def test_the_binary_log_is_ahead_of_the_tables_or_behind_them() -> None:
    kept = {**ALL, ROWS: [row(10), row(11)]}
    logged = {(10, 0), (11, 0), (3, 12), (16, 0)}
    found = judge(NOTES, kept, 2.0, logged)
    assert (found.lost, found.ahead, found.behind) == (1, 1, 1), "16 is lost, 3 at 15 isn't logged"
    assert (judge(NOTES, kept, 2.0).ahead, judge(NOTES, kept, 2.0).behind) == (None, None)


def test_rows_are_found_in_any_bytes() -> None:
    log = b"\x00\x13" + body(10, 0).encode() + b"..'" + body(3, 15).encode() + b"' WHERE id = 3"
    assert rows_in(log) == {(10, 0), (3, 15)}
    assert rows_in(body(7, 7).encode()[:50]) == set(), "a log that was cut"


@pytest.mark.parametrize(
    ("ops", "tables"),
    [
        (["insert"], [ROWS]),
        (["update"], [VERSIONS]),
        (["transaction", "update"], [ROWS, PAIRS, VERSIONS]),
    ],
)
def test_tables_are_those_of_the_ops(ops: list[LedgerOp], tables: list[str]) -> None:
    assert Ops(Ledger(ops=ops)).tables == tables
