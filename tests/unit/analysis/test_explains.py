"""EXPLAIN on several arms: which plans are the same, and which differ."""

from __future__ import annotations

import pytest

from dyno.analysis.explains import compare_plans
from dyno.analysis.model import Explained

COLUMNS = ["id", "select_type", "table", "partitions", "type", "key", "rows"]
Row = list[str | None]


def explained(
    arms: str, *rows: Row, error: str | None = None, columns: list[str] = COLUMNS
) -> Explained:
    return Explained(op="q", arms=arms.split(), columns=columns, rows=list(rows), error=error)


def step(table: str, access: str, key: str | None, rows: str | None) -> Row:
    return ["1", "SIMPLE", table, None, access, key, rows]


SCAN = step("orders", "ALL", None, "1000")


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (SCAN, True),
        (step("orders", "ALL", None, "1900"), True),
        (step("orders", "ALL", None, "2100"), False),
        (step("orders", "ALL", None, None), False),
        (step("orders", "range", None, "1000"), False),
        (step("orders", "ALL", "PRIMARY", "1000"), False),
        (step("items", "ALL", None, "1000"), False),
    ],
)
def test_plans_are_the_same_in_table_access_key_and_about_the_rows(other: Row, same: bool) -> None:
    (found,) = compare_plans([explained("a", SCAN), explained("b c", other)])
    assert found.arms == ([["a", "b", "c"]] if same else [["a"], ["b", "c"]])


def test_the_order_of_a_join_counts() -> None:
    items = step("items", "eq_ref", "PRIMARY", "1")
    (found,) = compare_plans([explained("a", SCAN, items), explained("b", items, SCAN)])
    assert [[s.table for s in plan] for plan in found.plans] == [
        ["orders", "items"],
        ["items", "orders"],
    ]


def test_other_columns_are_left_out_and_columns_of_one_product_do_not_matter() -> None:
    short = explained("b", ["1", "orders", "ALL", None, "1000"])
    short = short.model_copy(update={"columns": ["id", "table", "type", "key", "rows"]})
    tree = explained("c", ["-> Table scan"], columns=["EXPLAIN"])
    failed = explained("d", error="ERROR 1064")
    (found,) = compare_plans([explained("a", SCAN), short, tree, failed])
    assert found.arms == [["a", "b"]]
    assert list(compare_plans([tree, failed])) == []
