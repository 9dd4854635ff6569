"""Snapshots keep rows, and a copy never touches its original."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest

from dyno.errors import ServerError
from dyno.home import Home, server_user
from dyno.servers import Installation, Server, create_data_dir, snapshots, start


def _count(server: Server) -> int:
    connection = server.admin("s")
    with contextlib.closing(connection), connection.cursor() as cursor:
        cursor.execute("SELECT count(*), sum(crc32(b)) FROM t")
        return int(cursor.fetchone()[0])


@pytest.mark.parametrize("engine", ["InnoDB", "Aria"])
def test_rows_survive_save_change_and_restore(
    engine: str, mariadb: Installation, home: Home, new_home: Home, work: Path
) -> None:
    data_dir = work / "data"
    create_data_dir(mariadb, data_dir, home=home)
    parts = {"server": mariadb.fingerprint, "rows": 5000, "engine": engine}
    key = snapshots.key(parts)
    assert snapshots.get(key, home=new_home) is None

    with start(mariadb, data_dir=data_dir, run_dir=work / "run") as server:
        connection = server.admin()
        with contextlib.closing(connection), connection.cursor() as cursor:
            cursor.execute("CREATE DATABASE s")
            cursor.execute("USE s")
            cursor.execute(f"CREATE TABLE t (a INT PRIMARY KEY, b TEXT) ENGINE={engine}")
            cursor.execute("INSERT INTO t SELECT seq, repeat('x', 100) FROM seq_1_to_5000")
        with pytest.raises(ServerError, match=f"process {server.pid} still works in"):
            snapshots.save(key, data_dir, home=new_home)
    saved = snapshots.save(key, data_dir, parts=parts, home=new_home)
    assert saved == snapshots.save(key, data_dir, home=new_home), "an existing one stays"
    assert saved.parts == parts
    assert saved.size_bytes > 1_000_000
    assert snapshots.list(home=new_home) == [saved]

    with start(mariadb, data_dir=data_dir, run_dir=work / "run") as server:
        connection = server.admin("s")
        with contextlib.closing(connection), connection.cursor() as cursor:
            cursor.execute("DELETE FROM t WHERE a > 10")
        assert _count(server) == 10
    snapshots.restore(key, data_dir, home=new_home)
    user = server_user()
    expected = os.geteuid() if user is None else user.uid
    assert {path.stat().st_uid for path in [data_dir, *data_dir.rglob("*")]} == {expected}
    with start(mariadb, data_dir=data_dir, run_dir=work / "run") as server:
        assert _count(server) == 5000
    assert server.process.returncode == 0

    snapshots.remove(key, home=new_home)
    assert snapshots.list(home=new_home) == []
    with pytest.raises(ServerError, match="there is no snapshot"):
        snapshots.restore(key, data_dir, home=new_home)
