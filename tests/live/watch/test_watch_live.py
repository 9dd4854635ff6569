"""`dyno watch` on real servers: what runs, who waits, what is killed, and servers that go away."""

from __future__ import annotations

import gc
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TypeAlias

import pytest
from altering import ADD_INDEX, REBUILD, SCHEMA, TABLE, Statement, fill, writing
from standing import standing
from thinned import in_test_all, thinned
from watching import Document, Watch, argv, beyond, environment, has_job, watching

from dyno.client import Connection, SqlError
from dyno.servers import Server, start

# So many that an ALTER takes a few seconds on a fast machine, too.
ROWS = 800_000
Stand: TypeAlias = tuple[Server, Connection]


@pytest.fixture(scope="module", params=thinned(["mariadb-10.1.8", "mariadb-10.11.5"], least=1))
def stand(request: pytest.FixtureRequest) -> Iterator[Stand]:
    # A small buffer: the row log overflows by as much before it is full.
    with standing(request.param, innodb_sort_buffer_size=65536) as (server, admin, _):
        fill(admin, ROWS)
        admin.select_db(SCHEMA)
        yield server, admin


def execute(admin: Connection, sql: str) -> None:
    with admin.cursor() as cursor:
        cursor.execute(sql)


def test_a_killed_alter_is_gone_with_how_far_it_came(stand: Stand) -> None:
    server, admin = stand
    with watching(server.socket) as watch:
        alter = Statement.begin(server, f"ALTER TABLE {TABLE} FORCE, ALGORITHM=COPY")
        watch.until(lambda d: any((job["left_s"] or 0) > 0.3 for job in d["jobs"]))
        execute(admin, f"KILL QUERY {alter.id}")
        with pytest.raises(SqlError):
            alter.end()
        (gone,) = watch.until(lambda document: document["gone"])["gone"]
        assert gone["how"] in ("early", "killed")
        assert (gone["kind"], gone["table"]) == ("alter", f"{SCHEMA}.{TABLE}")
        assert 0 < gone["done_pct"] < 100


def one_behind_another(server: Server, watch: Watch) -> tuple[Statement, Statement, Document]:
    """An ALTER, and an INSERT that was seen behind it: on a busy host the ALTER may end first."""
    copying = Statement.begin(server, f"ALTER TABLE {TABLE} FORCE, ALGORITHM=COPY")
    watch.until(lambda document: has_job(document, id=copying.id))
    insert = Statement.begin(server, f"INSERT INTO {TABLE} (k, c, pad) VALUES (1, 'a', 'b')")
    document = watch.until(lambda document: document["waiting"] or insert.took_s is not None)
    if document["waiting"]:
        return copying, insert, document
    copying.end()
    insert.end()
    return one_behind_another(server, watch)


def test_who_waits_behind_an_alter_is_shown(stand: Stand) -> None:
    server, _ = stand
    with watching(server.socket) as watch:
        copying, insert, document = one_behind_another(server, watch)
        (waiting,) = document["waiting"]
        assert (waiting["id"], waiting["behind"]) == (insert.id, copying.id)
        assert "metadata lock" in waiting["state"]
        watch.until(lambda document: has_job(document, source="processlist"))
        copying.stop()
        insert.end()
        watch.until(lambda document: document["gone"])


def test_a_row_log_that_will_overflow_is_warned_of(stand: Stand) -> None:
    server, admin = stand
    blocks = 150
    with writing(server, rows=ROWS, per_s=1000, at_once=1000), watching(server.socket) as watch:
        # A log may be full before anybody could look twice, or big enough: that's the machine's.
        for _ in range(8):
            execute(admin, f"SET GLOBAL innodb_online_alter_log_max_size = 65536 * {blocks}")
            overflowed = error_of(Statement.begin(server, REBUILD))
            assert overflowed in (1799, None)
            warnings = watch.all_of(lambda d: d["row_log"] and d["row_log"]["warning"])
            if overflowed and warnings:
                break
            blocks = blocks * 3 // 2 if overflowed else blocks * 2 // 3
        assert overflowed
        assert any("1799" in warning for warning in warnings)
        watch.until(lambda document: document["gone"])
    execute(admin, "SET GLOBAL innodb_online_alter_log_max_size = 134217728")


def error_of(statement: Statement) -> int | None:
    """The code of the error that it ended with."""
    try:
        statement.end()
    except SqlError as error:
        return error.code
    return None


def test_a_long_delete_is_shown_by_its_rows(stand: Stand) -> None:
    server, _ = stand
    with watching(server.socket) as watch, closing(server.admin(SCHEMA)) as other:
        other.begin()
        # A sleep a thousand rows makes it last, however fast the machine is.
        slow = f"DELETE FROM {TABLE} WHERE IF(id % 1000 = 0, SLEEP(0.02), 0) = 0 AND k < 500000"
        delete = Statement.begin(server, slow)
        document = watch.until(lambda d: any(job["rows_total"] for job in d["jobs"]))
        (job,) = document["jobs"]
        assert (job["kind"], job["pct"]) == ("other", None)
        assert job["rows_done"] > 0
        # An estimate of the server's, from a few pages of a table that was just changed.
        assert ROWS / 4 < job["rows_total"] < ROWS * 4
        document = watch.until(lambda d: any(job["total_s"] for job in d["jobs"]))
        assert document["jobs"][0]["at_most"]
        assert document["jobs"][0]["rate_unit"] == "rows"
        execute(other, f"KILL QUERY {delete.id}")
        with pytest.raises(SqlError):
            delete.end()


@in_test_all
def test_optimize_that_defragments_differs_from_one_that_rebuilds(stand: Stand) -> None:
    server, admin = stand
    # A quarter of the rows: defragmenting waits between pages, whatever the machine.
    execute(admin, f"CREATE TABLE fewer LIKE {TABLE}")
    execute(admin, f"INSERT INTO fewer SELECT * FROM {TABLE} LIMIT {ROWS // 4}")
    for setting, kind in ((0, "optimize"), (1, "defragment")):
        execute(admin, f"SET GLOBAL innodb_defragment = {setting}")
        with watching(server.socket) as watch:
            optimize = Statement.begin(server, "OPTIMIZE TABLE fewer")
            known = optimize.id
            document = watch.until(lambda document: has_job(document, id=known))  # noqa: B023
            optimize.end()
        assert has_job(document, id=known, kind=kind)
        assert (document["defragmented"] is not None) == (kind == "defragment")
    execute(admin, "SET GLOBAL innodb_defragment = 0")
    execute(admin, "DROP TABLE fewer")


def test_process_is_enough_and_its_lack_is_reported(stand: Stand) -> None:
    server, admin = stand
    for user, grant in (("sees", "PROCESS"), ("blind", "USAGE")):
        execute(admin, f"CREATE USER {user}@localhost")
        execute(admin, f"GRANT {grant} ON *.* TO {user}@localhost")
    with (
        watching(server.socket, user="blind") as blind,
        watching(server.socket, user="sees") as sees,
    ):
        alter = Statement.begin(server, ADD_INDEX)
        document = sees.until(lambda d: d["jobs"] and d["jobs"][0]["pct"] is not None)
        assert document["missing"].keys() == {"row log"}
        _, unseen = blind.documents[-1]
        assert unseen["jobs"] == []
        assert "PROCESS" in unseen["missing"]["sessions"]
        assert document["missing"]["row log"].endswith("only for a table that is rebuilt")
        assert document["row_log"] is None
        alter.stop()
    execute(admin, f"DROP INDEX IF EXISTS k2 ON {TABLE}")


def test_plain_lines_without_a_terminal_and_ctrl_c(stand: Stand) -> None:
    server, _ = stand
    command = argv(server.socket, "--interval", "200ms")
    process = subprocess.Popen(
        command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    lines = iter(process.stdout.readline, "")
    assert any("nothing runs" in line for line in lines)
    alter = Statement.begin(server, REBUILD)
    name = f"ALTER {SCHEMA}.{TABLE} (session {alter.id})"
    assert any(name in line and "to go" in line for line in lines)
    alter.end()
    gone = next(line for line in lines if f"{name}: " in line)
    assert "ended" in gone or "no longer there" in gone
    process.send_signal(signal.SIGINT)
    said, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors == ""
    assert "\x1b" not in gone + said


def test_a_server_that_restarts_is_found_again(tmp_path: Path) -> None:
    # Its socket is new at each start, so it is looked for by a name that follows it.
    with standing("mariadb-10.11.5") as (first, admin, folder):
        name = folder / "sock"
        name.symlink_to(first.socket)
        fill(admin, ROWS)
        with watching(name) as watch:
            lost = Statement.begin(first, REBUILD)
            watch.until(beyond(5))
            first.kill()
            with pytest.raises(SqlError):
                lost.end()
            assert watch.until(lambda document: document["away"])["server"] == "MariaDB 10.11.5"
            time.sleep(0.5)
            name.unlink()
            with start(
                first.installation, data_dir=first.data_dir, run_dir=tmp_path / "logs"
            ) as second:
                name.symlink_to(second.socket)
                document = watch.until(lambda document: document["gone"])
                (gone,) = document["gone"]
                assert (gone["how"], document["away"]) == ("server", None)
                assert gone["done_pct"] > 5
                alter = Statement.begin(second, REBUILD)
                watch.until(lambda document: has_job(document, id=alter.id))
                alter.stop()
    gc.collect()


def test_mysql_5_6_shows_words_and_the_rows_it_copied() -> None:
    with standing("mysql-5.6.24") as (server, admin, _):
        fill(admin, ROWS // 2)
        with watching(server.socket) as watch:
            alter = Statement.begin(server, REBUILD)
            document = watch.until(lambda document: document["jobs"])
            assert "MySQL 5.6.24" in document["missing"]["progress"]
            assert document["jobs"][0]["pct"] is None
            alter.stop()
            copying = Statement.begin(server, f"ALTER TABLE {TABLE} FORCE, ALGORITHM=COPY")
            document = watch.until(lambda d: any(job["rows_done"] for job in d["jobs"]))
            assert document["jobs"][0]["state"] == "copy to tmp table"
            copying.stop()
