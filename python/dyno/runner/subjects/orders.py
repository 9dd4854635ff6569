"""Orders of `tpcc`: noted by dynoload as each is acknowledged, and looked up in the server's
tables after a crash, all at once, by a join.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from dyno.checks.tpcc import ORDERS, TABLES
from dyno.client import Connection
from dyno.runner.subjects.notes import (
    Timed,
    doubled,
    example_of,
    noted_before,
    number,
    read_notes,
    when_lost,
)
from dyno.runner.subjects.subject import SCHEMA, Looked
from dyno.servers import Server
from dyno.spec.crash_load import TpccOrders
from dyno.spec.tpcc import LoadTpcc

Order = tuple[int, int, int]
"""An order's key: (w_id, d_id, o_id)."""

_ROWS_AN_INSERT = 5000
# A table of this connection alone, in a schema of Dyno's; in an engine that every server has.
_TABLE = (
    "CREATE TEMPORARY TABLE dyno_acknowledged (w_id INT NOT NULL, d_id INT NOT NULL, "
    "o_id INT NOT NULL) ENGINE=MyISAM"
)
_MISSING = """
SELECT a.w_id, a.d_id, a.o_id, o.o_ol_cnt,
  (SELECT COUNT(*) FROM order_line
   WHERE ol_w_id = a.w_id AND ol_d_id = a.d_id AND ol_o_id = a.o_id) line_count
FROM dyno_acknowledged a
LEFT JOIN orders o ON o.o_w_id = a.w_id AND o.o_d_id = a.d_id AND o.o_id = a.o_id
HAVING o_ol_cnt IS NULL OR o_ol_cnt <> line_count
ORDER BY w_id, d_id, o_id
"""


@dataclass(frozen=True)
class OrderNote(Timed):
    """An order that a client knew to be placed."""

    order: Order


@dataclass(frozen=True)
class Missing:
    """Acknowledged orders that are not completely there: which, and how many; `incomplete` of them
    lack only lines.
    """

    orders: frozenset[Order]
    lost: int
    incomplete: int
    example: str | None


@dataclass(frozen=True)
class AcknowledgedOrders:
    """Which orders, in the order in which they were noted, up to the cut."""

    notes: list[OrderNote]
    cut_s: float

    @property
    def count(self) -> int:
        """How many."""
        return len(self.notes)

    def look(self, server: Server, before: int) -> Looked:
        """Look for each with its lines, and for other numbers that were assigned."""
        # The session is changed: nobody else gets this connection.
        with closing(server.admin(SCHEMA)) as connection:
            missing = find_missing(connection, [note.order for note in self.notes])
            grown = orders_given_out(connection) - before
        return self.judged(missing, grown)

    def judged(self, missing: Missing, grown: int) -> Looked:
        """The account of what is missing and of how many numbers were assigned."""
        gone = [note for note in self.notes if note.order in missing.orders]
        lost_s, moments = when_lost(self.notes, gone, self.cut_s)
        return Looked(
            lost=missing.lost,
            incomplete=missing.incomplete,
            example=missing.example,
            surplus=grown - (self.count - missing.lost),
            lost_s=lost_s,
            moments=moments,
        )


@dataclass(frozen=True)
class Orders:
    """The subject: new orders of some warehouses."""

    load: TpccOrders

    @property
    def tables(self) -> Collection[str]:
        """All of the workload's."""
        return sorted(TABLES)

    @property
    def memory_mb(self) -> int:
        """About all of it."""
        return 128 * self.load.warehouses

    def workload(self, engine: str, create_options: str, notes: Path | None) -> LoadTpcc:
        """The workload for dynoload, which notes each acknowledged order."""
        return LoadTpcc(
            kind="tpcc",
            warehouses=self.load.warehouses,
            engine=engine,
            create_options=create_options,
            success_file=str(notes) if notes else None,
        )

    def before(self, server: Server) -> int:
        """How many order numbers were assigned."""
        with closing(server.admin(SCHEMA)) as connection:
            return orders_given_out(connection)

    def acknowledged(self, notes: Path, cut_s: float) -> AcknowledgedOrders:
        """The orders in the notes."""
        return AcknowledgedOrders(noted_before(read_notes(notes, read_order), cut_s), cut_s)


def orders_given_out(connection: Connection) -> int:
    """The sum of d_next_o_id: it grows by one with each order."""
    return int(connection.row(ORDERS.sql)[0])


def find_missing(connection: Connection, orders: Sequence[Order]) -> Missing:
    """Compare acknowledged orders with `orders` and `order_line` of the connection's schema. The
    connection can't be reused: its session is changed.
    """
    rows = sorted(set(orders))
    connection.run("SET SESSION sql_mode = ''")
    connection.run(_TABLE)
    for begin in range(0, len(rows), _ROWS_AN_INSERT):
        values = ",".join(f"({w},{d},{o})" for w, d, o in rows[begin : begin + _ROWS_AN_INSERT])
        connection.run(f"INSERT INTO dyno_acknowledged VALUES {values}")
    return counted(connection.rows(_MISSING), orders)


def counted(
    rows: Sequence[tuple[int, int, int, int | None, int]], orders: Sequence[Order]
) -> Missing:
    """The account of rows (w_id, d_id, o_id, o_ol_cnt, number of lines) that are not as they must
    be; a number acknowledged twice is one lost order. The example is the oldest that is not.
    """
    twice = doubled(orders)
    noted = {order: place for place, order in enumerate(orders)}
    oldest = min(rows, key=lambda row: noted[row[:3]], default=None)
    return Missing(
        orders=frozenset((w, d, o) for w, d, o, *_ in rows).union(twice),
        lost=len(rows) + twice.total(),
        incomplete=sum(lines is not None for _, _, _, lines, _ in rows),
        example=example_of(_lacking(oldest) if oldest else None, twice, named),
    )


def _lacking(row: tuple[int, int, int, int | None, int]) -> str:
    """What of an order isn't there."""
    w_id, d_id, o_id, lines, there = row
    what = "no such order" if lines is None else f"o_ol_cnt {lines}, lines {there}"
    return f"{named((w_id, d_id, o_id))}: {what}"


def read_order(at_s: float, words: list[str]) -> OrderNote:
    """The note of a time and words. Raises ValueError."""
    w_id, d_id, o_id = map(number, words)
    return OrderNote(at_s, (w_id, d_id, o_id))


def named(order: Order) -> str:
    """An order in words."""
    return f"w_id {order[0]}, d_id {order[1]}, o_id {order[2]}"
