"""The same checks on the servers between the oldest and the newest, with their own sql_mode."""

from __future__ import annotations

from contextlib import closing

import pytest
from small_data import SCHEMA
from standing import standing

from dyno.checks import KINDS, run_checks
from dyno.checks.isolation import Fixture, add_rows, make_tables
from dyno.servers import create_schema


@pytest.mark.parametrize(
    "name", ["mysql-5.6.24", "mariadb-10.1.8", "mariadb-10.11.5", "mariadb-11.4.5"]
)
def test_every_version_tells_whole_data_from_broken_ones(name: str) -> None:
    with standing(name) as (server, admin, _):
        create_schema(admin, SCHEMA)
        with closing(server.admin(SCHEMA)) as connection, connection.cursor() as cursor:
            make_tables(connection, engine="InnoDB")
            add_rows(connection, Fixture())
            checks = run_checks(connection, "tpcc")
            assert [(c.name, c.state) for c in checks] == [
                (check.name, "ok") for check in KINDS["tpcc"].that_apply(just_loaded=False)
            ]
            for sql in (
                "UPDATE district SET d_next_o_id = 1, d_ytd = d_ytd + 0.01",
                "DELETE FROM new_orders WHERE no_o_id = 3002",
                "DELETE FROM order_line WHERE ol_number = 2",
                "UPDATE orders SET o_carrier_id = 1",
                "DELETE FROM history",
                "UPDATE stock SET s_quantity = 0",
                "UPDATE customer SET c_delivery_cnt = 9",
            ):
                cursor.execute(sql)
            broken = run_checks(connection, "tpcc", just_loaded=True)
    shares = {"BC customers", "ORIGINAL items", "ORIGINAL stock"}
    left = {check.name for check in broken if check.state != "broken"}
    # One order waits in each district, and no number is missing between one and itself.
    assert left == shares | {"condition 3"}
