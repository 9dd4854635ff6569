"""The checks of the workload `tpcc`: the twelve consistency conditions of the TPC-C specification
(3.3.2.1 to 3.3.2.12), rules for the counters that those can't see, and the counts after the load.

What each can and can't see: docs/reference/data-checks.md.
"""

from __future__ import annotations

from dyno.checks.model import Check, Checks, Growth
from dyno.checks.sql import Term, bad_rows, balanced, described
from dyno.checks.tpcc_load import LOAD_CHECKS

TABLES = frozenset(
    (
        "warehouse",
        "district",
        "customer",
        "history",
        "new_orders",
        "orders",
        "order_line",
        "item",
        "stock",
    )
)
# Loaded orders of a district: the first are delivered, and only later ones have moved stock.
LOADED_DELIVERED, LOADED_ORDERS = 2100, 3000
STOCK_LOW, STOCK_HIGH = 10, 100

_W = ("w_id",)
_D = ("w_id", "d_id")
_C = ("w_id", "d_id", "c_id")
_O = ("w_id", "d_id", "o_id")
_S = ("w_id", "i_id")
# The keys as named in the tables.
_DISTRICT = ("d_w_id", "d_id")
_CUSTOMER = ("c_w_id", "c_d_id", "c_id")
_PAYER = ("h_c_w_id", "h_c_d_id", "h_c_id")
_ORDER = ("o_w_id", "o_d_id", "o_id")
_ORDER_D = _ORDER[:2]
_BUYER = ("o_w_id", "o_d_id", "o_c_id")
_PENDING = ("no_w_id", "no_d_id", "no_o_id")
_PENDING_D = _PENDING[:2]
_LINE = ("ol_w_id", "ol_d_id", "ol_o_id")
_LINE_D = _LINE[:2]
_SUPPLY = ("ol_supply_w_id", "ol_i_id")

_PAYMENTS = Term("payments", _PAYER, "h_amount", "history")
# Lines are summed by order first, in key order (with a WHERE, servers sort instead); each order
# then identifies its customer. An amount of 0 means that the load delivered it.
_DELIVERED = Term(
    "delivered",
    _BUYER,
    "amount",
    "(SELECT ol_w_id, ol_d_id, ol_o_id, SUM(IF(ol_delivery_d IS NULL, 0, ol_amount)) AS amount "
    "FROM order_line GROUP BY ol_w_id, ol_d_id, ol_o_id HAVING COALESCE(amount, 1) <> 0) "
    "AS delivered "
    "STRAIGHT_JOIN orders ON o_w_id = ol_w_id AND o_d_id = ol_d_id AND o_id = ol_o_id",
)


def _condition_2() -> str:
    """The greatest numbers of both tables; an empty new_orders has none to compare."""
    sides = (
        "SELECT d_w_id AS w_id, d_id, d_next_o_id, NULL AS of_orders, NULL AS of_pending "
        "FROM district UNION ALL "
        "SELECT o_w_id, o_d_id, NULL, MAX(o_id), NULL FROM orders GROUP BY o_w_id, o_d_id "
        "UNION ALL SELECT no_w_id, no_d_id, NULL, NULL, MAX(no_o_id) FROM new_orders "
        "GROUP BY no_w_id, no_d_id"
    )
    after, orders, pending = "MAX(d_next_o_id)", "MAX(of_orders)", "MAX(of_pending)"
    figures = [("d_next_o_id", after), ("max(o_id)", orders), ("max(no_o_id)", pending)]
    return bad_rows(
        described(_D, figures),
        f"FROM ({sides}) AS sides GROUP BY w_id, d_id "
        f"HAVING COALESCE({after}, -1) <> COALESCE({orders}, 0) + 1 "
        f"OR COALESCE({pending}, {orders}, 0) <> COALESCE({orders}, 0)",
    )


def _condition_3() -> str:
    low, high, count = "MIN(no_o_id)", "MAX(no_o_id)", "COUNT(*)"
    figures = [("min(no_o_id)", low), ("max(no_o_id)", high), ("rows", count)]
    return bad_rows(
        described(_PENDING_D, figures),
        f"FROM new_orders GROUP BY no_w_id, no_d_id HAVING {high} - {low} + 1 <> {count}",
    )


def _condition_7() -> str:
    """All lines of an order without a carrier are undelivered; of any other order, none."""
    sides = (
        "SELECT o_w_id AS w_id, o_d_id AS d_id, o_id, o_carrier_id IS NULL AS waits, "
        "0 AS order_lines, 0 AS undelivered FROM orders UNION ALL "
        "SELECT ol_w_id, ol_d_id, ol_o_id, 0, COUNT(*), SUM(ol_delivery_d IS NULL) "
        "FROM order_line GROUP BY ol_w_id, ol_d_id, ol_o_id"
    )
    waits, count, undelivered = "SUM(waits)", "SUM(order_lines)", "SUM(undelivered)"
    figures = [("without carrier", waits), ("lines", count), ("undelivered", undelivered)]
    return bad_rows(
        described(_O, figures),
        f"FROM ({sides}) AS sides GROUP BY w_id, d_id, o_id HAVING {waits} * {count} <> "
        f"{undelivered}",
        big=True,
    )


def _stock(column: str, value: str, which: str) -> str:
    """A stock counter against the lines that orders of the run have in `order_line`. Rows that were
    never sold from are 0 on both sides and are left out.
    """
    moved = f"stock WHERE {column} <> 0 OR {column} IS NULL"
    lines = f"order_line WHERE ol_o_id > {LOADED_ORDERS}{which}"
    return balanced(
        _S,
        [Term(column, ("s_w_id", "s_i_id"), column, moved)],
        [Term("by its lines", _SUPPLY, value, lines)],
    )


CONDITIONS = (
    Check(
        "condition 1",
        "w_ytd is the sum of its districts' d_ytd",
        balanced(
            _W,
            [Term("w_ytd", ("w_id",), "w_ytd", "warehouse")],
            [Term("sum(d_ytd)", ("d_w_id",), "d_ytd", "district")],
        ),
    ),
    Check(
        "condition 2",
        "d_next_o_id - 1 is the greatest o_id, and the greatest no_o_id where there is one",
        _condition_2(),
    ),
    Check("condition 3", "the new_orders of a district have no gap", _condition_3()),
    Check(
        "condition 4",
        "a district's o_ol_cnt add up to its rows in order_line",
        balanced(
            _D,
            [Term("sum(o_ol_cnt)", _ORDER_D, "SUM(o_ol_cnt)", "orders", grouped=True)],
            [Term("lines", _LINE_D, "COUNT(*)", "order_line", grouped=True)],
        ),
    ),
    Check(
        "condition 5",
        "an order has no carrier exactly while it is in new_orders",
        balanced(
            _O,
            [Term("without carrier", _ORDER, "1", "orders WHERE o_carrier_id IS NULL")],
            [Term("in new_orders", _PENDING, "1", "new_orders")],
        ),
    ),
    Check(
        "condition 6",
        "o_ol_cnt is the number of the order's lines",
        balanced(
            _O,
            [Term("o_ol_cnt", _ORDER, "o_ol_cnt", "orders")],
            [Term("lines", _LINE, "COUNT(*)", "order_line", grouped=True)],
        ),
    ),
    Check(
        "condition 7",
        "a line has no delivery date exactly while its order has no carrier",
        _condition_7(),
    ),
    Check(
        "condition 8",
        "w_ytd is the sum of the payments in history",
        balanced(
            _W,
            [Term("w_ytd", ("w_id",), "w_ytd", "warehouse")],
            [Term("payments", ("h_w_id",), "SUM(h_amount)", "history", grouped=True)],
        ),
    ),
    Check(
        "condition 9",
        "d_ytd is the sum of the payments in history",
        balanced(
            _D,
            [Term("d_ytd", _DISTRICT, "d_ytd", "district")],
            [Term("payments", ("h_w_id", "h_d_id"), "SUM(h_amount)", "history", grouped=True)],
        ),
    ),
    Check(
        "condition 10",
        "c_balance is what was delivered to the customer less what was paid",
        balanced(
            _C, [Term("c_balance", _CUSTOMER, "c_balance", "customer"), _PAYMENTS], [_DELIVERED]
        ),
    ),
    Check(
        "condition 11",
        f"a district has {LOADED_DELIVERED:,} more orders than new_orders",
        balanced(
            _D,
            [Term("orders", _ORDER_D, "COUNT(*)", "orders", grouped=True)],
            [
                Term("new_orders", _PENDING_D, "COUNT(*)", "new_orders", grouped=True),
                Term("more", _DISTRICT, str(LOADED_DELIVERED), "district"),
            ],
        ),
        just_loaded=True,
    ),
    Check(
        "condition 12",
        "c_balance + c_ytd_payment is what was delivered to the customer",
        balanced(
            _C,
            [Term("c_balance + c_ytd_payment", _CUSTOMER, "c_balance + c_ytd_payment", "customer")],
            [_DELIVERED],
        ),
    ),
)

COUNTERS = (
    Check(
        "c_payment_cnt",
        "it is the number of the customer's rows in history",
        balanced(
            _C,
            [Term("c_payment_cnt", _CUSTOMER, "c_payment_cnt", "customer")],
            [Term("payments", _PAYER, "1", "history")],
        ),
    ),
    Check(
        "c_ytd_payment",
        "it is the sum of the customer's payments in history",
        balanced(_C, [Term("c_ytd_payment", _CUSTOMER, "c_ytd_payment", "customer")], [_PAYMENTS]),
    ),
    Check(
        "c_delivery_cnt",
        "it is the number of the customer's orders that were delivered since the load",
        balanced(
            _C,
            [
                Term(
                    "c_delivery_cnt",
                    _CUSTOMER,
                    "c_delivery_cnt",
                    "customer WHERE c_delivery_cnt <> 0 OR c_delivery_cnt IS NULL",
                )
            ],
            [
                Term(
                    "delivered orders",
                    _BUYER,
                    "1",
                    f"orders WHERE o_id > {LOADED_DELIVERED} AND o_carrier_id IS NOT NULL",
                )
            ],
        ),
    ),
    Check(
        "s_ytd",
        "it is the quantity that orders since the load took from the stock",
        _stock("s_ytd", "ol_quantity", ""),
    ),
    Check(
        "s_order_cnt",
        "it is the number of lines since the load that took from the stock",
        _stock("s_order_cnt", "1", ""),
    ),
    Check(
        "s_remote_cnt",
        "it is the number of those lines that came from another warehouse",
        _stock("s_remote_cnt", "1", " AND ol_w_id <> ol_supply_w_id"),
    ),
    Check(
        "s_quantity",
        f"it is between {STOCK_LOW} and {STOCK_HIGH}",
        bad_rows(
            described(("s_w_id", "s_i_id"), [("s_quantity", "s_quantity")]),
            f"FROM stock WHERE COALESCE(s_quantity, -1) < {STOCK_LOW} OR s_quantity > {STOCK_HIGH}",
        ),
    ),
)

# An order that rolls back returns its number, so it isn't counted.
ORDERS = Growth(
    "acknowledged orders",
    "d_next_o_id has grown by the new orders that clients saw committed",
    "SELECT COALESCE(SUM(d_next_o_id), 0) FROM district",
    "new_order",
)

CHECKS = Checks(
    tables=TABLES,
    filled="warehouse",
    checks=(*CONDITIONS, *COUNTERS, *LOAD_CHECKS),
    growths=(ORDERS,),
)
