"""Each rule of tpcc's data on real servers: whole data keep them all, and one change breaks exactly
the rules that speak of it.
"""

from __future__ import annotations

from contextlib import closing

import pytest
from small_data import SCHEMA, Made

from dyno.checks import KINDS, find_kind, run_checks
from dyno.client import Connection
from dyno.errors import SpecError
from dyno.servers import Server, create_schema, drop_schema
from dyno.spec.data_check import DataCheck

ALWAYS = [check.name for check in KINDS["tpcc"].checks if not check.just_loaded]

# One change, and all the rules that it breaks with their number of bad rows.
BROKEN = {
    "UPDATE warehouse SET w_ytd = w_ytd + 0.01 WHERE w_id = 1": {1: 1, 8: 1},
    "UPDATE district SET d_ytd = d_ytd - 0.01 WHERE d_w_id = 2 AND d_id = 1": {1: 1, 9: 1},
    "DELETE FROM district WHERE d_w_id = 2 AND d_id = 1": {1: 1, 2: 1, 9: 1},
    "UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = 1": {2: 2},
    "DELETE FROM new_orders WHERE no_o_id = 3003 AND no_w_id = 1": {2: 2, 5: 2},
    "UPDATE new_orders SET no_o_id = 3001 WHERE no_o_id = 3002 AND no_w_id = 1 AND no_d_id = 2": {
        3: 1,
        5: 2,
    },
    "UPDATE orders SET o_ol_cnt = o_ol_cnt + 1 WHERE o_w_id = 1 AND o_d_id = 1 AND o_id = 3003": {
        4: 1,
        6: 1,
    },
    # One line more in one order, one less in another: the sum of the district is right.
    "UPDATE orders SET o_ol_cnt = IF(o_id = 3003, 2, 1) "
    "WHERE o_w_id = 1 AND o_d_id = 1 AND o_id IN (3002, 3003)": {6: 2},
    "UPDATE orders SET o_carrier_id = NULL WHERE o_w_id = 1 AND o_d_id = 1 AND o_id = 2100": {
        5: 1,
        7: 1,
    },
    "UPDATE order_line SET ol_delivery_d = NULL WHERE ol_o_id = 2100 AND ol_number = 1 "
    "AND ol_w_id = 1 AND ol_d_id = 1": {7: 1},
    "UPDATE order_line SET ol_delivery_d = NOW() WHERE ol_o_id = 3003 AND ol_w_id = 1": {
        7: 2,
        10: 2,
        12: 2,
    },
    "UPDATE history SET h_amount = h_amount + 0.01 WHERE h_c_w_id = 1 AND h_c_d_id = 1 "
    "AND h_c_id = 1": {8: 1, 9: 1, 10: 1, "c_ytd_payment": 1},
    "DELETE FROM history WHERE h_w_id = 1 AND h_d_id = 2 AND h_c_id = 3": {
        8: 1,
        9: 1,
        10: 1,
        "c_payment_cnt": 1,
        "c_ytd_payment": 1,
    },
    "UPDATE history SET h_d_id = 2 WHERE h_w_id = 1 AND h_d_id = 1 AND h_c_id = 3": {9: 2},
    "UPDATE customer SET c_balance = c_balance + 0.01 WHERE c_id = 2": {10: 4, 12: 4},
    "UPDATE customer SET c_ytd_payment = 0 WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 1": {
        12: 1,
        "c_ytd_payment": 1,
    },
    "UPDATE order_line SET ol_amount = ol_amount + 0.01 WHERE ol_o_id = 3001 AND ol_number = 2 "
    "AND ol_w_id = 2 AND ol_d_id = 2": {10: 1, 12: 1},
    "UPDATE customer SET c_payment_cnt = c_payment_cnt - 1 WHERE c_w_id = 1 AND c_id = 2": {
        "c_payment_cnt": 2
    },
    "UPDATE customer SET c_delivery_cnt = c_delivery_cnt + 1 WHERE c_w_id = 2 AND c_id = 3": {
        "c_delivery_cnt": 2
    },
    "UPDATE stock SET s_ytd = s_ytd - 1 WHERE s_w_id = 1 AND s_i_id = 3": {"s_ytd": 1},
    "UPDATE stock SET s_order_cnt = s_order_cnt + 1 WHERE s_i_id = 2": {"s_order_cnt": 2},
    "UPDATE stock SET s_remote_cnt = 0": {"s_remote_cnt": 2},
    "UPDATE order_line SET ol_quantity = ol_quantity + 1 WHERE ol_o_id = 3003 AND ol_w_id = 1 "
    "AND ol_d_id = 1": {"s_ytd": 1},
    "DELETE FROM stock WHERE s_w_id = 2 AND s_i_id = 4": {
        "s_ytd": 1,
        "s_order_cnt": 1,
        "s_remote_cnt": 1,
    },
    "UPDATE stock SET s_quantity = 9 WHERE s_w_id = 1 AND s_i_id = 1": {"s_quantity": 1},
    "UPDATE stock SET s_quantity = 101 WHERE s_w_id = 1": {"s_quantity": 4},
    "DELETE FROM order_line WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 3003": {
        4: 1,
        6: 1,
        7: 0,
        "s_ytd": 1,
        "s_order_cnt": 1,
    },
    "INSERT INTO order_line SELECT 3009, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, "
    "NULL, ol_quantity, ol_amount, ol_dist_info FROM order_line WHERE ol_o_id = 2100 "
    "AND ol_w_id = 1 AND ol_d_id = 1": {4: 1, 6: 1, 7: 1, "s_ytd": 2, "s_order_cnt": 2},
    # The whole of a district's waiting orders: an inner join would not see that they are gone.
    "DELETE FROM new_orders WHERE no_w_id = 1 AND no_d_id = 1": {5: 2},
}


def seen(checks: list[DataCheck]) -> dict[str, int]:
    assert all(check.state != "not checked" for check in checks), checks
    return {c.name: c.bad_rows or 0 for c in checks if c.state == "broken"}


def named(wanted: dict[int | str, int]) -> dict[str, int]:
    return {
        f"condition {key}" if isinstance(key, int) else key: count
        for key, count in wanted.items()
        if count
    }


@pytest.mark.parametrize("engine", ["InnoDB", "MyISAM"])
def test_whole_data_keep_every_rule(schema: Made, engine: str) -> None:
    with closing(schema(engine)) as connection:
        assert find_kind(connection) == "tpcc"
        checks = run_checks(connection, "tpcc")
    assert [(check.name, check.state, check.bad_rows) for check in checks] == [
        (name, "ok", 0) for name in ALWAYS
    ]


def test_each_change_breaks_exactly_the_rules_that_speak_of_it(
    server: Server, schema: Made
) -> None:
    found = {}
    for sql in BROKEN:
        with closing(schema("InnoDB")) as connection, connection.cursor() as cursor:
            cursor.execute(sql)
            checks = run_checks(connection, "tpcc")
            assert all(check.example for check in checks if check.state == "broken")
            found[sql] = seen(checks)
    assert found == {sql: named(wanted) for sql, wanted in BROKEN.items()}
    names = {name for broken in found.values() for name in broken}
    assert names == set(ALWAYS), "some rule is broken by nothing here"


def test_an_example_names_the_row_and_both_figures(schema: Made) -> None:
    with closing(schema("InnoDB")) as connection, connection.cursor() as cursor:
        cursor.execute("UPDATE customer SET c_balance = 5 WHERE c_id = 2 AND c_d_id = 2")
        checks = {check.name: check for check in run_checks(connection, "tpcc")}
    assert checks["condition 10"].example == (
        "w_id 1, d_id 2, c_id 2: c_balance 5.00, payments 15.25, delivered 100.24"
    )


def test_a_figure_that_nobody_knows_breaks_its_rule(schema: Made) -> None:
    with closing(schema("InnoDB")) as connection, connection.cursor() as cursor:
        cursor.execute("ALTER TABLE stock MODIFY s_order_cnt INT NULL, MODIFY s_quantity INT NULL")
        cursor.execute(
            "UPDATE stock SET s_order_cnt = NULL, s_quantity = NULL WHERE s_w_id = 1 AND s_i_id = 1"
        )
        assert seen(run_checks(connection, "tpcc")) == {"s_order_cnt": 1, "s_quantity": 1}


def test_what_holds_right_after_the_load_is_asked_for(schema: Made) -> None:
    with closing(schema("InnoDB")) as connection:
        broken = seen(run_checks(connection, "tpcc", just_loaded=True))
    assert broken["condition 11"] == 4
    assert broken["rows of item"] == 1
    assert broken["rows of customer"] == 4
    assert not {"BC customers", "ORIGINAL items"} & broken.keys(), "of four rows none may be"


@pytest.mark.parametrize(
    ("table", "column", "word", "name"),
    [
        ("customer", "c_credit", "BC", "BC customers"),
        ("item", "i_data", "a ORIGINAL", "ORIGINAL items"),
        ("stock", "s_data", "ORIGINALab", "ORIGINAL stock"),
    ],
)
def test_shares_of_the_load_are_one_in_ten(
    schema: Made, table: str, column: str, word: str, name: str
) -> None:
    def broken(connection: Connection) -> bool:
        checks = run_checks(connection, "tpcc", just_loaded=True)
        return name in seen(checks)

    with closing(schema("InnoDB")) as connection, connection.cursor() as cursor:
        cursor.execute(f"UPDATE {table} SET {column} = '{word.lower()}'")
        wrong_case = broken(connection) if column != "c_credit" else False
        cursor.execute(f"UPDATE {table} SET {column} = '{word}'")
        assert (wrong_case, broken(connection)) == (False, True)


def test_rows_that_come_while_it_looks_are_not_seen(server: Server, schema: Made) -> None:
    with closing(schema("InnoDB")) as connection, closing(server.admin(SCHEMA)) as other:
        half_done = iter(["UPDATE warehouse SET w_ytd = w_ytd + 1"])

        def write(*_: object) -> None:
            for sql in half_done:
                with other.cursor() as cursor:
                    cursor.execute(sql)

        assert not seen(run_checks(connection, "tpcc", on_check=write))
    with closing(server.admin(SCHEMA)) as connection:
        assert set(seen(run_checks(connection, "tpcc"))) == {"condition 1", "condition 8"}


def test_an_empty_schema_is_not_called_good(schema: Made) -> None:
    with closing(schema("InnoDB")) as connection, connection.cursor() as cursor:
        cursor.execute("DELETE FROM warehouse")
        checks = run_checks(connection, "tpcc")
        assert {(check.state, check.reason) for check in checks} == {
            ("not checked", "the table warehouse is empty")
        }


def test_what_the_server_refuses_is_not_checked_and_says_why(schema: Made) -> None:
    with closing(schema("InnoDB")) as connection, connection.cursor() as cursor:
        cursor.execute("ALTER TABLE stock DROP COLUMN s_remote_cnt")
        checks = run_checks(connection, "tpcc")
    (lost,) = [check for check in checks if check.state != "ok"]
    assert (lost.name, lost.state, lost.bad_rows) == ("s_remote_cnt", "not checked", None)
    assert "s_remote_cnt" in (lost.reason or "")


def test_a_schema_without_a_workload_is_reported(server: Server) -> None:
    with closing(server.admin()) as admin:
        create_schema(admin, SCHEMA)
        with (
            closing(server.admin(SCHEMA)) as connection,
            pytest.raises(SpecError, match="it has no"),
        ):
            find_kind(connection)
        drop_schema(admin, SCHEMA)
