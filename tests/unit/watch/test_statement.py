"""What a statement does, by its first words."""

from __future__ import annotations

import pytest

from dyno.watch.statement import classify, names_table


@pytest.mark.parametrize(
    ("sql", "kind", "table", "ddl"),
    [
        ("ALTER TABLE orders ADD INDEX k2 (k)", "alter", "shop.orders", True),
        ("  alter online table `a b`.`c``d` FORCE", "alter", "a b.c`d", True),
        ("/* tool */ ALTER IGNORE TABLE IF EXISTS x.y ADD z INT", "alter", "x.y", True),
        ("-- a remark\nALTER TABLE orders ENGINE=InnoDB", "alter", "shop.orders", True),
        (
            "SET STATEMENT max_statement_time=9 FOR ALTER TABLE orders FORCE",
            "alter",
            "shop.orders",
            True,
        ),
        ("OPTIMIZE TABLE orders", "optimize", "shop.orders", True),
        ("OPTIMIZE NO_WRITE_TO_BINLOG TABLE orders, lines", "optimize", "shop.orders", True),
        ("CREATE UNIQUE INDEX u ON orders (k)", "index", "shop.orders", True),
        (
            "CREATE OR REPLACE INDEX IF NOT EXISTS u USING BTREE ON x . y (k)",
            "index",
            "x.y",
            True,
        ),
        ("DROP INDEX k2 ON orders", "index", "shop.orders", True),
        ("REPAIR TABLE orders QUICK", "other", "shop.orders", True),
        ("ANALYZE LOCAL TABLE orders", "other", "shop.orders", True),
        (
            "LOAD DATA LOCAL INFILE '/tmp/x' REPLACE INTO TABLE orders FIELDS TERMINATED BY ','",
            "load",
            "shop.orders",
            False,
        ),
        ("INSERT IGNORE INTO orders SELECT * FROM old", "load", "shop.orders", False),
        ("INSERT orders VALUES (1)", "load", "shop.orders", False),
        ("CREATE TABLE orders2 ENGINE=InnoDB AS SELECT * FROM o", "load", "shop.orders2", False),
        ("DELETE QUICK FROM orders WHERE id % 4", "other", "shop.orders", False),
        ("UPDATE orders SET k = 1", "other", "shop.orders", False),
    ],
)
def test_statements_are_recognised_by_their_first_words(
    sql: str, kind: str, table: str, ddl: bool
) -> None:
    found = classify(sql, "shop")
    assert found is not None
    assert (found.kind, found.table, found.ddl) == (kind, table, ddl)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1",
        "COMMIT",
        "",
        "/* ALTER TABLE orders FORCE */ SELECT 1",
        "/* never closed ALTER TABLE orders",
        "CREATE TABLE t (id INT)",
        "SHOW INDEX FROM orders",
        "SET GLOBAL x = 1",
    ],
)
def test_other_statements_are_not_jobs(sql: str) -> None:
    assert classify(sql, "shop") is None


def test_without_a_schema_the_table_stands_alone() -> None:
    found = classify("OPTIMIZE TABLE orders", None)
    assert found is not None
    assert found.table == "orders"


def test_a_table_is_named_as_a_word() -> None:
    assert names_table("SELECT * FROM shop.orders o", "shop.orders")
    assert names_table("select * from `Orders`", "shop.orders")
    assert not names_table("SELECT * FROM orders_old", "shop.orders")
    assert not names_table("SELECT * FROM my$orders", "shop.orders")
