"""Orders of `tpcc`: noted by dynoload as each is acknowledged, and looked up in the server's
tables after a kill, all at once, by a join.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dyno.checks.tpcc import ORDERS
from dyno.client import Connection
from dyno.errors import LoadError
from dyno.runner.durability.subject import Looked
from dyno.spec.events import EventLog
from dyno.spec.tpcc import LoadTpcc
from dyno.spec.units import plural

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
class Missing:
    """Acknowledged orders that are not completely there; `incomplete` of them lack only lines."""

    lost: int
    incomplete: int
    example: str | None


@dataclass(frozen=True)
class AcknowledgedOrders:
    """Which orders, in the order in which they were noted."""

    orders: list[Order]

    @property
    def count(self) -> int:
        """How many."""
        return len(self.orders)

    def look(self, connection: Connection, before: int) -> Looked:
        """Look for each with its lines, and for other numbers that were assigned."""
        missing = find_missing(connection, self.orders)
        grown = orders_given_out(connection) - before
        return Looked(
            lost=missing.lost,
            incomplete=missing.incomplete,
            example=missing.example,
            surplus=grown - (self.count - missing.lost),
        )


@dataclass(frozen=True)
class Orders:
    """The subject: new orders of some warehouses."""

    warehouses: int = 1
    workload: str = "tpcc"
    counted: str = "new orders"
    is_noted: bool = True

    @property
    def data(self) -> str:
        """What is loaded."""
        return plural(self.warehouses, "warehouse")

    @property
    def memory_mb(self) -> int:
        """About all of it."""
        return 128 * self.warehouses

    def load(self, engine: str, notes: Path | None) -> LoadTpcc:
        """The workload for dynoload, which notes each acknowledged order."""
        return LoadTpcc(
            kind="tpcc",
            warehouses=self.warehouses,
            engine=engine,
            success_file=str(notes) if notes else None,
        )

    def before(self, connection: Connection) -> int:
        """How many order numbers were assigned."""
        return orders_given_out(connection)

    def acknowledged(self, notes: Path, log: EventLog, cut_s: float) -> AcknowledgedOrders:
        """The orders in the notes."""
        return AcknowledgedOrders(read_acknowledged(notes, before_s=cut_s))


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
    be; a number acknowledged twice is one lost order.
    """
    twice = doubled(orders)
    examples = [
        f"{named((w, d, o))}: "
        + ("no such order" if lines is None else f"o_ol_cnt {lines}, lines {there}")
        for w, d, o, lines, there in rows[:1]
    ]
    examples += [f"{named(order)}: acknowledged {n + 1} times" for order, n in twice.items()]
    return Missing(
        lost=len(rows) + twice.total(),
        incomplete=sum(lines is not None for _, _, _, lines, _ in rows),
        example=examples[0] if examples else None,
    )


def read_acknowledged(path: Path, *, before_s: float = math.inf) -> list[Order]:
    """The orders noted in a success file, in its order, without their times: those that were
    acknowledged before that time of the monotonic clock. A last line without a line end is left
    out: the note is truncated, and half a number would be another order.

    Raises LoadError for any other line that isn't an order.
    """
    whole, _, _ = path.read_text("ascii", errors="replace").rpartition("\n")
    orders = []
    for number, line in enumerate(whole.splitlines(), 1):
        parts = line.split(" ")
        if len(parts) != 4 or not all(part.isascii() and part.isdigit() for part in parts):
            raise LoadError(
                f"line {number} of dynoload's acknowledged orders is {line!r}",
                hint="if dyno and dynoload come from different versions, install them together",
            )
        if int(parts[0]) / 1e9 < before_s:
            orders.append((int(parts[1]), int(parts[2]), int(parts[3])))
    return orders


def doubled(orders: Sequence[Order]) -> Counter[Order]:
    """How many duplicate acknowledgements there are: two clients can't have the same order."""
    return Counter({order: n - 1 for order, n in Counter(orders).items() if n > 1})


def named(order: Order) -> str:
    """An order in words."""
    return f"w_id {order[0]}, d_id {order[1]}, o_id {order[2]}"
