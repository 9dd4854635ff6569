"""The isolation tests on real engines: on InnoDB they hold, and on MyISAM, which has neither
ROLLBACK nor row locks, every one must fail.
"""

from __future__ import annotations

from contextlib import closing

import pytest
from small_data import SCHEMA, Made

from dyno.checks import run_checks
from dyno.checks.isolation import LEVELS, Level
from dyno.errors import ServerError
from dyno.runner.isolation import OWN_SCHEMA, check_isolation
from dyno.servers import Server

NINE = list(range(1, 10))


def held(
    server: Server,
    *,
    schema: str | None = None,
    engine: str = "InnoDB",
    levels: tuple[Level, ...] = LEVELS[:1],
) -> dict[str, list[int]]:
    """By level the tests that held; none may be left undone."""
    tests = check_isolation(server, schema=schema, engine=engine, levels=levels, where="here")
    assert all(test.state != "not checked" for test in tests), tests
    assert all(test.seen for test in tests)
    return {
        level: [t.number for t in tests if t.isolation == level and t.state == "ok"]
        for level in dict.fromkeys(test.isolation for test in tests)
    }


def schemas(server: Server) -> set[str]:
    with closing(server.admin()) as admin, admin.cursor() as cursor:
        cursor.execute("SHOW DATABASES")
        return {name for (name,) in cursor.fetchall()}


def test_innodb_holds_all_but_what_read_committed_never_promised(server: Server) -> None:
    assert held(server, levels=LEVELS) == {
        "repeatable_read": NINE,
        "read_committed": [1, 2, 3, 4, 5, 6],
        "serializable": NINE,
    }
    assert not [name for name in schemas(server) if name.startswith(OWN_SCHEMA)]


def test_myisam_fails_all_nine(server: Server) -> None:
    assert held(server, engine="MyISAM") == {"repeatable_read": []}


def test_a_given_schema_has_its_rows_back_afterwards(server: Server, schema: Made) -> None:
    with closing(schema("InnoDB")) as connection, connection.cursor() as cursor:

        def rows() -> list[int]:
            found = []
            for table in ("warehouse", "orders", "order_line", "item", "stock", "history"):
                cursor.execute(f"SELECT COUNT(*) FROM {table}")
                found.append(cursor.fetchone()[0])
            return found

        before = rows()
        assert held(server, schema=SCHEMA)["repeatable_read"] == NINE
        assert rows() == before
        assert {check.state for check in run_checks(connection, "tpcc")} == {"ok"}


def test_a_schema_that_dyno_did_not_make_is_left_alone(server: Server) -> None:
    with pytest.raises(ServerError, match="wasn't created by Dyno"):
        held(server, schema="mysql")
