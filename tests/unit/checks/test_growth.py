"""What clients saw committed against what the data have grown by."""

from __future__ import annotations

import pytest

from dyno.checks import KINDS, grown
from dyno.spec.data_check import DataCheck
from dyno.spec.linkbench import OPS

NAME = "acknowledged orders"


def orders(before: int | None, after: int | None, *, ok: int, unsure: int = 0) -> DataCheck:
    known = {"before": before, "after": after}
    figures = {when: {NAME: n} if n is not None else {} for when, n in known.items()}
    counts = {"new_order": ok, "new_order_rollback": 7, "payment": 99}
    (found,) = grown("tpcc", figures["before"], figures["after"], ok=counts, unsure=unsure)
    return found


@pytest.mark.parametrize(
    ("after", "unsure", "off"),
    [(130, 0, 0), (129, 0, 1), (131, 0, 1), (131, 1, 0), (133, 2, 1), (129, 5, 1), (100, 0, 30)],
)
def test_acknowledged_orders_are_there_and_no_others(after: int, unsure: int, off: int) -> None:
    found = orders(100, after, ok=30, unsure=unsure)
    assert (found.state, found.bad_rows) == ("broken" if off else "ok", off)
    assert found.example == (f"30 acknowledged, {after - 100} in the data" if off else None)


def test_a_figure_that_nobody_read_is_not_zero() -> None:
    assert orders(None, 10, ok=0).state == "not checked"
    assert orders(10, None, ok=0).reason == "the figure after the trial isn't known"


def test_the_op_is_one_of_the_workload() -> None:
    assert {g.op for g in KINDS["linkbench"].growths} <= set(OPS)
    (growth,) = KINDS["tpcc"].growths
    assert growth.op == "new_order"
