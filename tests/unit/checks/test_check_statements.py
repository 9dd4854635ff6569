"""The statements of data checks by their text: what any server takes under any sql_mode, and that
no side is lost in a join. What they find is tested on real servers.
"""

from __future__ import annotations

import re

import pytest

from dyno.checks import KINDS, Check
from dyno.checks.sql import Term, balanced, described

CHECKS = [check for checks in KINDS.values() for check in checks.checks]
TPCC = KINDS["tpcc"].checks


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_a_check_is_one_statement_that_any_server_takes(check: Check) -> None:
    assert check.sql.startswith("SELECT COUNT(*), MIN(example) FROM (SELECT ")
    assert check.sql.endswith(" AS bad")
    assert ";" not in check.sql
    assert not set('"`|%') & set(check.sql.replace("%ORIGINAL%", ""))
    # MySQL 5.5 has no common table expressions, no window functions and no EXCEPT.
    assert not re.search(r"\b(WITH|OVER|EXCEPT|INTERSECT|LATERAL)\b", check.sql)
    # A function's name touches its bracket, whether IGNORE_SPACE is set or not.
    assert not re.search(r"\b(COUNT|SUM|MIN|MAX|COALESCE|CONCAT|CAST) \(", check.sql)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_sides_are_joined_by_nothing_that_loses_rows(check: Check) -> None:
    joins = re.findall(r"\w*JOIN\b", check.sql)
    # What was delivered belongs to an order; lines without one are those of condition 6.
    assert joins in ([], ["STRAIGHT_JOIN"])
    assert bool(joins) == (check.name in ("condition 10", "condition 12"))


def test_tpcc_has_all_conditions_and_counters_in_order() -> None:
    names = [check.name for check in TPCC]
    assert names[:12] == [f"condition {number}" for number in range(1, 13)]
    assert names[12:19] == [
        "c_payment_cnt",
        "c_ytd_payment",
        "c_delivery_cnt",
        "s_ytd",
        "s_order_cnt",
        "s_remote_cnt",
        "s_quantity",
    ]
    assert len(set(names)) == len(names)


def test_what_holds_right_after_the_load_is_condition_11_and_the_counts() -> None:
    checks = KINDS["tpcc"]
    later = [check.name for check in checks.that_apply(just_loaded=False)]
    assert len(later) == 18
    assert "condition 11" not in later
    assert not [name for name in later if name.startswith("rows of")]
    assert checks.that_apply(just_loaded=True) == list(checks.checks)


def test_both_sides_stand_below_each_other_with_a_column_each() -> None:
    sql = balanced(
        ("w_id",),
        [Term("w_ytd", ("w_id",), "w_ytd", "warehouse")],
        [Term("payments", ("h_w_id",), "SUM(h_amount)", "history", grouped=True)],
    )
    assert (
        "SELECT w_id AS w_id, w_ytd AS term_0, 0 AS term_1 FROM warehouse UNION ALL "
        "SELECT h_w_id AS w_id, 0 AS term_0, SUM(h_amount) AS term_1 FROM history GROUP BY h_w_id"
    ) in sql
    assert "HAVING SUM(term_0) <> SUM(term_1) OR COUNT(term_0 + term_1) < COUNT(*)" in sql


def test_an_example_is_never_null() -> None:
    assert described(("a", "b"), [("x", "SUM(x)"), ("y", "1")]) == (
        "CONCAT('a ', COALESCE(a, 'NULL'), ', b ', COALESCE(b, 'NULL'), "
        "': x ', COALESCE(SUM(x), 'NULL'), ', y ', COALESCE(1, 'NULL'))"
    )


def test_linkbench_has_its_invariant_always_and_what_the_load_leaves_once() -> None:
    checks = KINDS["linkbench"]
    assert [check.name for check in checks.that_apply(just_loaded=False)] == [
        "counts",
        "visibility",
    ]
    assert len(checks.that_apply(just_loaded=True)) == 6
