"""A small data set in the nine tables of `tpcc` that follows all rules: two warehouses with two
districts of three customers and four orders. Made by Python, so that no loader is needed.

It is far too small for the counts that hold after a load.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from dyno.checks.isolation.tables import TABLES
from dyno.client import Connection

DISTRICTS = (1, 2)
CUSTOMERS = (1, 2, 3)
ITEMS_USED = 4
NEXT_ORDER = 3004
DATE = "2014-10-10 10:10:10"
OPENING = Decimal("10.00")
QUANTITY_BEFORE = 50


@dataclass(frozen=True)
class Order:
    """An order of each district: whose, and its lines' (item from 0, quantity, amount).

    `remote` is the index of a line from the other warehouse. The loaded order is delivered and has
    amounts of 0, as after a load.
    """

    number: int
    customer: int
    delivered: bool
    lines: tuple[tuple[int, int, str], ...]
    remote: int | None = None


ORDERS = (
    Order(2100, 1, True, ((0, 5, "0.00"), (1, 5, "0.00"))),
    Order(3001, 2, True, ((0, 3, "30.03"), (2, 7, "70.21"))),
    Order(3002, 1, False, ((1, 9, "99.99"), (3, 1, "0.01")), remote=1),
    Order(3003, 3, False, ((2, 10, "100.30"),)),
)
# In addition to the opening payment of each customer: (customer, amount).
PAID = ((2, Decimal("5.25")),)


@dataclass(frozen=True)
class Fixture:
    """Where its rows lie: two warehouses and the items from `item` on."""

    warehouse: int = 1
    item: int = 1

    @property
    def warehouses(self) -> tuple[int, int]:
        """Both warehouses; the tests use the first."""
        return self.warehouse, self.warehouse + 1

    @property
    def items(self) -> list[int]:
        """The items."""
        return [self.item + place for place in range(ITEMS_USED)]

    @classmethod
    def unused(cls, connection: Connection) -> Fixture:
        """One that touches no existing rows."""
        warehouse, item = connection.row(
            "SELECT COALESCE((SELECT MAX(w_id) FROM warehouse), 0), "
            "COALESCE((SELECT MAX(i_id) FROM item), 0)"
        )
        return cls(int(warehouse) + 1, int(item) + 1)


def make_tables(connection: Connection, *, engine: str) -> None:
    """Create the nine tables in the connection's schema."""
    # MyRocks refuses an index on text whose collation isn't binary.
    collate = " COLLATE latin1_bin" if engine.lower() == "rocksdb" else ""
    for name, columns in TABLES.items():
        end = f"ENGINE={engine} DEFAULT CHARSET=latin1{collate}"
        connection.run(f"CREATE TABLE {name} ({columns}) {end}")


def add_rows(connection: Connection, fixture: Fixture) -> None:
    """Insert the data set; nothing is committed where the connection's autocommit is off."""
    for table, row in _rows(fixture):
        columns, marks = ", ".join(row), ", ".join(["%s"] * len(row))
        connection.run(f"INSERT INTO {table} ({columns}) VALUES ({marks})", *row.values())


def remove_rows(connection: Connection, fixture: Fixture) -> None:
    """Delete the data set and all that was added to its warehouses."""
    owners = {
        "new_orders": "no_w_id",
        "order_line": "ol_w_id",
        "orders": "o_w_id",
        "history": "h_w_id",
        "customer": "c_w_id",
        "district": "d_w_id",
        "stock": "s_w_id",
        "warehouse": "w_id",
    }
    for table, owner in owners.items():
        connection.run(f"DELETE FROM {table} WHERE {owner} IN (%s, %s)", *fixture.warehouses)
    connection.run("DELETE FROM item WHERE i_id BETWEEN %s AND %s", *_ends(fixture.items))


Row = tuple[str, dict[str, object]]


def _rows(fixture: Fixture) -> Iterator[Row]:
    """Each row with its table, parents before children."""
    for item in fixture.items:
        yield (
            "item",
            {"i_id": item, "i_im_id": 1, "i_name": "item", "i_price": "10.01", "i_data": "data"},
        )
    payments = len(CUSTOMERS) * OPENING + sum(amount for _, amount in PAID)
    address = {"street_1": "s", "street_2": "s", "city": "c", "state": "ST", "zip": "000011111"}
    for w in fixture.warehouses:
        own = {"w_id": w, "w_name": f"w{w}"} | {f"w_{key}": text for key, text in address.items()}
        yield "warehouse", own | {"w_tax": "0.1000", "w_ytd": payments * len(DISTRICTS)}
        yield from _stock(fixture, w)
    for w in fixture.warehouses:
        for d in DISTRICTS:
            own = {"d_w_id": w, "d_id": d, "d_name": f"d{d}"}
            own |= {f"d_{key}": text for key, text in address.items()}
            own |= {"d_tax": "0.0500", "d_ytd": payments, "d_next_o_id": NEXT_ORDER}
            yield "district", own
            yield from _customers(w, d, address)
            yield from _orders(fixture, w, d)


def _stock(fixture: Fixture, w: int) -> Iterator[Row]:
    """A warehouse's stock after the orders since the load, in all districts."""
    for place, item in enumerate(fixture.items):
        taken, remote, quantity = [], 0, QUANTITY_BEFORE
        for order, at, (line_item, wanted, _) in _lines():
            from_other = order.remote == at
            if line_item != place or order.number <= 3000:
                continue
            # One line in each district of either warehouse's orders comes from here.
            taken.append(wanted)
            remote += from_other
            quantity -= wanted if quantity >= wanted + 10 else wanted - 91
        own: dict[str, object] = {"s_i_id": item, "s_w_id": w, "s_quantity": quantity}
        own |= {f"s_dist_{d:02}": "x" * 24 for d in range(1, 11)}
        own |= {"s_ytd": sum(taken), "s_order_cnt": len(taken), "s_remote_cnt": remote}
        yield "stock", own | {"s_data": "data"}


def _lines() -> Iterator[tuple[Order, int, tuple[int, int, str]]]:
    """Every line of a warehouse: the order, its index in the order, the line."""
    for _ in DISTRICTS:
        for order in ORDERS:
            for at, line in enumerate(order.lines):
                yield order, at, line


def _customers(w: int, d: int, address: dict[str, str]) -> Iterator[Row]:
    """The customers of a district with their payments."""
    for c in CUSTOMERS:
        payments = [OPENING, *(amount for customer, amount in PAID if customer == c)]
        delivered = [order for order in ORDERS if order.customer == c and order.delivered]
        due = sum((Decimal(line[2]) for order in delivered for line in order.lines), Decimal(0))
        own: dict[str, object] = {"c_id": c, "c_d_id": d, "c_w_id": w}
        own |= {"c_first": f"first{c}", "c_middle": "OE", "c_last": "BARBARBAR"}
        own |= {f"c_{key}": text for key, text in address.items()}
        own |= {"c_phone": "0" * 16, "c_since": DATE, "c_credit": "GC", "c_credit_lim": 50000}
        own |= {"c_discount": "0.1000", "c_balance": due - sum(payments)}
        own |= {"c_ytd_payment": sum(payments), "c_payment_cnt": len(payments)}
        own |= {"c_delivery_cnt": sum(order.number > 3000 for order in delivered)}
        yield "customer", own | {"c_data": "data"}
        for amount in payments:
            whose = {"h_c_id": c, "h_c_d_id": d, "h_c_w_id": w, "h_d_id": d, "h_w_id": w}
            yield "history", whose | {"h_date": DATE, "h_amount": amount, "h_data": "data"}


def _orders(fixture: Fixture, w: int, d: int) -> Iterator[Row]:
    """The orders of a district with their lines; pending ones are in new_orders."""
    other = next(found for found in fixture.warehouses if found != w)
    for order in ORDERS:
        own: dict[str, object] = {"o_id": order.number, "o_d_id": d, "o_w_id": w}
        own |= {"o_c_id": order.customer, "o_entry_d": DATE}
        own |= {"o_carrier_id": 7 if order.delivered else None, "o_ol_cnt": len(order.lines)}
        yield "orders", own | {"o_all_local": int(order.remote is None)}
        if not order.delivered:
            yield "new_orders", {"no_o_id": order.number, "no_d_id": d, "no_w_id": w}
        for at, (item, quantity, amount) in enumerate(order.lines):
            line: dict[str, object] = {"ol_o_id": order.number, "ol_d_id": d, "ol_w_id": w}
            line |= {"ol_number": at + 1, "ol_i_id": fixture.items[item]}
            line |= {"ol_supply_w_id": other if order.remote == at else w}
            line |= {"ol_delivery_d": DATE if order.delivered else None}
            yield (
                "order_line",
                line | {"ol_quantity": quantity, "ol_amount": amount, "ol_dist_info": "x" * 24},
            )


def _ends(numbers: list[int]) -> tuple[int, int]:
    return numbers[0], numbers[-1]
