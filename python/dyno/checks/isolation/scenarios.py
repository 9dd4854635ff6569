"""The nine tests: what two sessions do, and what must result. Each returns in words how it held, or
raises BrokenTestError with what was seen instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial

from dyno.checks.isolation.session import Session, result, waits
from dyno.checks.isolation.transactions import (
    Place,
    Shown,
    balance,
    delivery,
    new_order,
    next_order,
    oldest_pending,
    order_status,
    payment,
    prices,
)

AMOUNT = Decimal("12.34")


class BrokenTestError(Exception):
    """A test failed: what was seen."""


@dataclass(frozen=True)
class Stage:
    """Two sessions, and the rows that a test uses."""

    one: Session
    two: Session
    at: Place


def order_status_and_new_order(stage: Stage) -> str:
    """1: an order that isn't committed is not shown; once it is, it is."""
    show, order = partial(order_status, at=stage.at), partial(new_order, at=stage.at)
    before = stage.two.run_to_commit(show)
    number = stage.one.hold(order)
    reading = stage.two.start(show)
    waited = waits(reading)
    if not waited:
        _same(result(reading), before, "Order-Status showed an order that wasn't committed")
    stage.one.commit()
    if waited:
        result(reading)
    after = stage.two.run_to_commit(show)
    _expect(after.order == number, f"after COMMIT it shows order {after.order}, not {number}")
    return "Order-Status waited" if waited else "Order-Status read the rows as they were"


def order_status_and_rolled_back_new_order(stage: Stage) -> str:
    """2: an order that is rolled back is never shown."""
    show, order = partial(order_status, at=stage.at), partial(new_order, at=stage.at)
    before = stage.two.run_to_commit(show)
    stage.one.hold(order)
    reading = stage.two.start(show)
    waited = waits(reading)
    stage.one.rollback()
    _same(result(reading), before, "Order-Status showed an order that was rolled back")
    _same(stage.two.run_to_commit(show), before, "the order is still there after ROLLBACK")
    return "Order-Status waited" if waited else "Order-Status read the rows as they were"


def two_new_orders(stage: Stage) -> str:
    """3: two New-Orders of a district wait for each other and get two numbers in a row."""
    return _two_new_orders(stage, commit=True)


def rolled_back_new_order_and_another(stage: Stage) -> str:
    """4: the number of an order that was rolled back is given out again."""
    return _two_new_orders(stage, commit=False)


def _two_new_orders(stage: Stage, *, commit: bool) -> str:
    order = partial(new_order, at=stage.at)
    first = stage.one.hold(order)
    second = stage.two.start(order)
    waited = waits(second)
    if commit:
        stage.one.commit()
    else:
        stage.one.rollback()
    number = result(second)
    if commit:
        _expect(number == first + 1, f"after order {first} came order {number}")
    else:
        _expect(number == first, f"order {first} was rolled back, the next got {number}")
    following = stage.one.run_to_commit(partial(next_order, at=stage.at))
    _expect(following == number + 1, f"after order {number} d_next_o_id is {following}")
    _expect(waited, "the second New-Order didn't wait for the first")
    return "the second New-Order waited"


def delivery_and_payment(stage: Stage) -> str:
    """5: of a Delivery and a Payment of one customer both changes of the balance stay."""
    return _delivery_and_payment(stage, commit=True)


def rolled_back_delivery_and_payment(stage: Stage) -> str:
    """6: of a Delivery that is rolled back and a Payment the Payment's alone stays."""
    return _delivery_and_payment(stage, commit=False)


def _delivery_and_payment(stage: Stage, *, commit: bool) -> str:
    whose = _next_delivered(stage)
    before = stage.two.run_to_commit(partial(balance, at=whose))
    delivered = stage.one.hold(partial(delivery, at=whose))
    assert delivered is not None
    customer, total = delivered
    _expect(customer == whose.customer, f"Delivery was of customer {customer}")
    paying = stage.two.start(partial(payment, at=whose, amount=AMOUNT))
    waited = waits(paying)
    if commit:
        stage.one.commit()
    else:
        stage.one.rollback()
    result(paying)
    after = stage.one.run_to_commit(partial(balance, at=whose))
    wanted = before - AMOUNT + (total if commit else 0)
    _expect(after == wanted, f"c_balance is {after}, not {wanted}")
    _expect(waited, "Payment didn't wait for Delivery")
    return "Payment waited"


def item_prices(stage: Stage) -> str:
    """7: New-Order reads the same price twice, though another session changes it in between."""
    read = partial(prices, at=stage.at)
    before = stage.one.hold(read)
    dearer = stage.two.start(partial(_raise_prices, at=stage.at))
    waited = waits(dearer)
    again = read(stage.one)
    stage.one.commit()
    result(dearer)
    _expect(again == before, f"prices were {_listed(before)}, then {_listed(again)}")
    after = stage.one.run_to_commit(read)
    raised = {item: price + 1 for item, price in before.items()}
    _expect(after == raised, f"after COMMIT they are {_listed(after)}, not {_listed(raised)}")
    return "the change of prices waited" if waited else "New-Order read the prices as they were"


def delivery_and_new_order(stage: Stage) -> str:
    """8: where Delivery found no order waiting it finds none again, though one comes in."""
    while stage.one.run_to_commit(partial(delivery, at=stage.at)) is not None:
        pass
    pending = partial(oldest_pending, at=stage.at)
    stage.one.hold(pending)
    coming = stage.two.start(partial(new_order, at=stage.at))
    waited = waits(coming)
    again = pending(stage.one)
    stage.one.commit()
    number = result(coming)
    _expect(again is None, f"Delivery found none, then order {again}")
    after = stage.one.run_to_commit(pending)
    _expect(after == number, f"after COMMIT the next to deliver is {after}, not {number}")
    return "New-Order waited" if waited else "Delivery read the rows as they were"


def last_order_and_new_order(stage: Stage) -> str:
    """9: Order-Status shows the same last order twice, though a new one comes in."""
    show = partial(order_status, at=stage.at)
    before = stage.one.hold(show)
    coming = stage.two.start(partial(new_order, at=stage.at))
    waited = waits(coming)
    again = show(stage.one)
    stage.one.commit()
    number = result(coming)
    _same(again, before, "Order-Status showed another order the second time")
    after = stage.one.run_to_commit(show)
    _expect(after.order == number, f"after COMMIT it shows order {after.order}, not {number}")
    return "New-Order waited" if waited else "Order-Status read the rows as they were"


SCENARIOS: tuple[Callable[[Stage], str], ...] = (
    order_status_and_new_order,
    order_status_and_rolled_back_new_order,
    two_new_orders,
    rolled_back_new_order_and_another,
    delivery_and_payment,
    rolled_back_delivery_and_payment,
    item_prices,
    delivery_and_new_order,
    last_order_and_new_order,
)


def _next_delivered(stage: Stage) -> Place:
    """The customer of the order that Delivery takes next; if there is none, one is made."""
    if stage.one.run_to_commit(partial(oldest_pending, at=stage.at)) is None:
        stage.one.run_to_commit(partial(new_order, at=stage.at))
    number = stage.one.run_to_commit(partial(oldest_pending, at=stage.at))
    rows = stage.one.sql(
        "SELECT o_c_id FROM orders WHERE o_w_id = %s AND o_d_id = %s AND o_id = %s",
        *(stage.at.warehouse, stage.at.district, number),
    )
    stage.one.commit()
    return replace(stage.at, customer=int(rows[0][0]))


def _raise_prices(session: Session, at: Place) -> None:
    session.sql("UPDATE item SET i_price = i_price + 1 WHERE i_id IN (%s, %s)", *at.items)


def _same(found: Shown, wanted: Shown, what: str) -> None:
    _expect(found == wanted, f"{what}: {found.order}, before it was {wanted.order}")


def _expect(kept: bool, seen: str) -> None:
    if not kept:
        raise BrokenTestError(seen)


def _listed(found: dict[int, Decimal]) -> str:
    return " and ".join(str(price) for price in found.values())
