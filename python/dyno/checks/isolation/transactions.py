"""The transactions of `tpcc` as the isolation tests need them: the workload's statements in order,
each up to its COMMIT, on given rows. Nothing is random.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from dyno.checks.isolation.session import Rows, Session

QUANTITY = 5


@dataclass(frozen=True)
class Place:
    """The rows that a test uses: a customer, their district, two items."""

    warehouse: int
    district: int
    customer: int
    items: tuple[int, int]


@dataclass(frozen=True)
class Shown:
    """What Order-Status shows of a customer's last order."""

    order: int | None
    lines: Rows


def new_order(session: Session, at: Place) -> int:
    """New-Order of both items; returns the order's number. The UPDATE of the district comes first:
    that is where a blocked session waits.
    """
    w, d = at.warehouse, at.district
    session.sql(
        "UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = %s AND d_id = %s", w, d
    )
    session.sql(
        "SELECT s_w_id, s_i_id, s_quantity, s_dist_01, s_data FROM stock "
        "WHERE s_w_id = %s AND s_i_id IN (%s, %s) FOR UPDATE",
        *(w, *at.items),
    )
    rows = session.sql(
        "SELECT d_next_o_id - 1, d_tax, w_tax, c_discount, c_last, c_credit "
        "FROM district, warehouse, customer WHERE d_w_id = %s AND d_id = %s AND w_id = %s "
        "AND c_w_id = %s AND c_d_id = %s AND c_id = %s",
        *(w, d, w, w, d, at.customer),
    )
    number = int(rows[0][0])
    found = prices(session, at)
    session.sql(
        "INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, "
        "o_all_local) VALUES (%s, %s, %s, %s, NOW(), NULL, %s, 1)",
        *(number, d, w, at.customer, len(at.items)),
    )
    session.sql(
        "INSERT INTO new_orders (no_o_id, no_d_id, no_w_id) VALUES (%s, %s, %s)", number, d, w
    )
    for place, item in enumerate(at.items, 1):
        session.sql(
            "INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, "
            "ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount, ol_dist_info) "
            "VALUES (%s, %s, %s, %s, %s, %s, NULL, %s, %s, %s)",
            *(number, d, w, place, item, w, QUANTITY, QUANTITY * found[item], "x" * 24),
        )
    for item in at.items:
        session.sql(
            "UPDATE stock SET s_quantity = s_quantity - %s + IF(s_quantity >= %s + 10, 0, 91), "
            "s_ytd = s_ytd + %s, s_order_cnt = s_order_cnt + 1 WHERE s_w_id = %s AND s_i_id = %s",
            *(QUANTITY, QUANTITY, QUANTITY, w, item),
        )
    return number


def payment(session: Session, at: Place, amount: Decimal) -> None:
    """Payment of an amount by the customer, at home."""
    w, d, c = at.warehouse, at.district, at.customer
    session.sql("UPDATE warehouse SET w_ytd = w_ytd + %s WHERE w_id = %s", amount, w)
    session.sql(
        "UPDATE district SET d_ytd = d_ytd + %s WHERE d_w_id = %s AND d_id = %s", amount, w, d
    )
    session.sql(
        "SELECT w_name, d_name FROM warehouse, district "
        "WHERE w_id = %s AND d_w_id = %s AND d_id = %s",
        *(w, w, d),
    )
    session.sql(
        "UPDATE customer SET c_balance = c_balance - %s, c_ytd_payment = c_ytd_payment + %s, "
        "c_payment_cnt = c_payment_cnt + 1 WHERE c_w_id = %s AND c_d_id = %s AND c_id = %s",
        *(amount, amount, w, d, c),
    )
    balance(session, at)
    session.sql(
        "INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, "
        "h_data) SELECT %s, %s, %s, %s, %s, NOW(), %s, CONCAT(w_name, '    ', d_name) "
        "FROM warehouse, district WHERE w_id = %s AND d_w_id = %s AND d_id = %s",
        *(c, d, w, d, w, amount, w, w, d),
    )


def order_status(session: Session, at: Place) -> Shown:
    """Order-Status: the customer's last order and its lines."""
    session.sql(
        "SELECT c_balance, c_first, c_middle, c_last FROM customer "
        "WHERE c_w_id = %s AND c_d_id = %s AND c_id = %s",
        *(at.warehouse, at.district, at.customer),
    )
    rows = session.sql(
        "SELECT o_id, o_entry_d, o_carrier_id FROM orders WHERE o_w_id = %s AND o_d_id = %s "
        "AND o_c_id = %s ORDER BY o_id DESC LIMIT 1",
        *(at.warehouse, at.district, at.customer),
    )
    if not rows:
        return Shown(None, [])
    lines = session.sql(
        "SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line "
        "WHERE ol_w_id = %s AND ol_d_id = %s AND ol_o_id = %s ORDER BY ol_number",
        *(at.warehouse, at.district, rows[0][0]),
    )
    return Shown(int(rows[0][0]), lines)


def oldest_pending(session: Session, at: Place) -> int | None:
    """The order of the district that Delivery takes next, locked; None if none is pending."""
    rows = session.sql(
        "SELECT no_o_id FROM new_orders WHERE no_w_id = %s AND no_d_id = %s "
        "ORDER BY no_o_id LIMIT 1 FOR UPDATE",
        *(at.warehouse, at.district),
    )
    return int(rows[0][0]) if rows else None


def delivery(session: Session, at: Place) -> tuple[int, Decimal] | None:
    """Delivery in this one district: the customer and the sum; None if no order is pending."""
    w, d = at.warehouse, at.district
    number = oldest_pending(session, at)
    if number is None:
        return None
    order = (w, d, number)
    session.sql(
        "DELETE FROM new_orders WHERE no_w_id = %s AND no_d_id = %s AND no_o_id = %s", *order
    )
    whose = "WHERE o_w_id = %s AND o_d_id = %s AND o_id = %s"
    session.sql(f"UPDATE orders SET o_carrier_id = 4 {whose}", *order)
    customer = int(session.sql(f"SELECT o_c_id FROM orders {whose}", *order)[0][0])
    lines = "WHERE ol_w_id = %s AND ol_d_id = %s AND ol_o_id = %s"
    total = Decimal(session.sql(f"SELECT SUM(ol_amount) FROM order_line {lines}", *order)[0][0])
    session.sql(f"UPDATE order_line SET ol_delivery_d = NOW() {lines}", *order)
    session.sql(
        "UPDATE customer SET c_balance = c_balance + %s, c_delivery_cnt = c_delivery_cnt + 1 "
        "WHERE c_w_id = %s AND c_d_id = %s AND c_id = %s",
        *(total, w, d, customer),
    )
    return customer, total


def next_order(session: Session, at: Place) -> int:
    """The next number that the district will assign."""
    rows = session.sql(
        "SELECT d_next_o_id, d_tax FROM district WHERE d_w_id = %s AND d_id = %s",
        *(at.warehouse, at.district),
    )
    return int(rows[0][0])


def prices(session: Session, at: Place) -> dict[int, Decimal]:
    """The items' prices."""
    rows = session.sql(
        "SELECT i_id, i_price, i_name, i_data FROM item WHERE i_id IN (%s, %s)", *at.items
    )
    return {int(item): Decimal(price) for item, price, *_ in rows}


def balance(session: Session, at: Place) -> Decimal:
    """The customer's balance."""
    rows = session.sql(
        "SELECT c_balance FROM customer WHERE c_w_id = %s AND c_d_id = %s AND c_id = %s",
        *(at.warehouse, at.district, at.customer),
    )
    return Decimal(rows[0][0])
