"""New orders/min: what experiments of the workload `tpcc` compare and may claim."""

from __future__ import annotations

import pytest
from spec_samples import TWO_ARMS
from stored_runs import plan_of as expand

from dyno.errors import SpecError
from dyno.spec.plan import Plan
from dyno.spec.wording import asks

TPCC = (
    TWO_ARMS
    + """[workload]
kind = "tpcc"
[sweep]
connections = [4, 8]
"""
)
CLAIM = """
[[claim]]
says = "b takes more orders"
ratio_of = ["b", "a"]
at = 8
at_least = 1
"""


def compared(plan: Plan, *, primary: bool) -> list[tuple[str, str, int]]:
    found = [c.numerator for c in plan.comparisons if c.primary == primary]
    return [(q.metric, q.op, q.point) for q in found]


def test_new_orders_decide_and_latencies_stand_beside() -> None:
    plan = expand(TPCC)
    assert compared(plan, primary=True) == [
        ("new_orders_per_min", "new_order", 0),
        ("new_orders_per_min", "new_order", 1),
    ]
    timed = ["new_order", "payment", "order_status", "delivery", "stock_level"]
    assert compared(plan, primary=False) == [("p95", op, at) for op in timed for at in (0, 1)]


def test_a_claim_is_about_new_orders_unless_it_says_more() -> None:
    plan = expand(TPCC + CLAIM)
    (claim,) = plan.claims
    assert compared(plan, primary=True) == [("new_orders_per_min", "new_order", 1)]
    assert asks(claim) == "new orders/min of b / a at 8 connections"


def test_a_claim_may_be_about_an_op() -> None:
    plan = expand(TPCC + CLAIM + 'metric = "throughput"\nop = "payment"\n')
    assert compared(plan, primary=True) == [("throughput", "payment", 1)]


def test_only_new_order_has_new_orders() -> None:
    with pytest.raises(SpecError) as raised:
        expand(TPCC + CLAIM + 'op = "payment"\n')
    assert "there is no op 'payment'" in raised.value.message
    assert raised.value.hint is not None
    assert "new_order" in raised.value.hint


def test_other_workloads_have_no_new_orders() -> None:
    oltp = TPCC.replace('"tpcc"', '"oltp"\nscript = "oltp_read_only"')
    with pytest.raises(SpecError, match="has no metric 'new_orders_per_min'"):
        expand(oltp + CLAIM + 'metric = "new_orders_per_min"\n')
