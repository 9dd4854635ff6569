"""Looks for acknowledged orders in the server's tables: all of a kill at once, by a join."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dyno.checks.tpcc import ORDERS
from dyno.runner.durability.account import Order, doubled, told
from dyno.servers import AdminConnection

_ROWS_AN_INSERT = 5000
# A table of this connection alone, in a schema of Dyno's; of an engine that every server has.
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
    """Acknowledged orders that are not there whole; `incomplete` of them lack lines only."""

    lost: int
    incomplete: int
    example: str | None


def orders_given_out(connection: AdminConnection) -> int:
    """The sum of d_next_o_id: it grows by one with each order."""
    with connection.cursor() as cursor:
        cursor.execute(ORDERS.sql)
        row = cursor.fetchone()
    assert isinstance(row, tuple)
    return int(row[0])


def find_missing(connection: AdminConnection, orders: Sequence[Order]) -> Missing:
    """Compare acknowledged orders with `orders` and `order_line` of the connection's schema. The
    connection is used up: its session is changed.
    """
    rows = sorted(set(orders))
    with connection.cursor() as cursor:
        cursor.execute("SET SESSION sql_mode = ''")
        cursor.execute(_TABLE)
        for begin in range(0, len(rows), _ROWS_AN_INSERT):
            values = ",".join(f"({w},{d},{o})" for w, d, o in rows[begin : begin + _ROWS_AN_INSERT])
            cursor.execute(f"INSERT INTO dyno_acknowledged VALUES {values}")
        cursor.execute(_MISSING)
        found = list(cursor.fetchall())
    return counted(found, orders)


def counted(
    rows: Sequence[tuple[int, int, int, int | None, int]], orders: Sequence[Order]
) -> Missing:
    """The account of rows (w_id, d_id, o_id, o_ol_cnt, number of lines) that are not as they must
    be; a number acknowledged twice is one order lost.
    """
    twice = doubled(orders)
    examples = [
        f"{told((w, d, o))}: "
        + ("no such order" if lines is None else f"o_ol_cnt {lines}, lines {there}")
        for w, d, o, lines, there in rows[:1]
    ]
    examples += [f"{told(order)}: acknowledged {n + 1} times" for order, n in twice.items()]
    return Missing(
        lost=len(rows) + twice.total(),
        incomplete=sum(lines is not None for _, _, _, lines, _ in rows),
        example=examples[0] if examples else None,
    )
