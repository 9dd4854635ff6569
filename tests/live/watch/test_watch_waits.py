"""`dyno watch` shows who waits for a row, by whichever tables a server tells it."""

from __future__ import annotations

import pytest
from altering import SCHEMA, TABLE, Statement, fill
from standing import standing
from watching import watching

from dyno.client import SqlError

SERVERS = ["mysql-sid", "mariadb-trixie", "mysql-5.6.24"]


@pytest.mark.parametrize("name", SERVERS)
def test_who_waits_for_a_row_of_a_long_statement_is_shown(name: str) -> None:
    with standing(name) as (server, admin, _):
        fill(admin, 1000)
        admin.select_db(SCHEMA)
        with watching(server.socket) as watch:
            slow = f"DELETE FROM {TABLE} WHERE IF(id < 1000, SLEEP(0.05), 0) = 0"
            delete = Statement.begin(server, slow)
            watch.until(lambda d: any(job["id"] == delete.id for job in d["jobs"]))
            update = Statement.begin(server, f"UPDATE {TABLE} SET k = 1 WHERE id = 1")
            document = watch.until(lambda d: d["waiting"])
            (waiting,) = document["waiting"]
            assert (waiting["id"], waiting["behind"]) == (update.id, delete.id)
            assert "row locks" not in document["missing"]
            with admin.cursor() as cursor:
                cursor.execute(f"KILL QUERY {delete.id}")
            with pytest.raises(SqlError):
                delete.end()
            update.end()


def test_a_server_that_hides_them_is_said_to() -> None:
    with (
        standing("mysql-sid", performance_schema=0) as (server, _, _),
        watching(server.socket) as watch,
    ):
        document = watch.until(lambda _: True)
        assert document["missing"]["row locks"].endswith("and performance_schema is off")
