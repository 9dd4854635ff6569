"""Somebody else's server: used at its address, never restarted, and only Dyno's schema touched."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import forks
import pytest
from standing import standing
from waiting import wait_until

from dyno.errors import ServerError
from dyno.servers import Server, drop_schema, schemas_made

EXPERIMENT = """
title = "small"
question = "Does it run there?"
[[arm]]
name = "there"
baseline = true
server = "{address}"
[[arm]]
name = "there again"
server = "{address}"
session = {{ tmp_table_size = 1048576 }}
[workload]
kind = "statements"
[[workload.table]]
name = "t"
rows = 500
create = "CREATE TABLE t (id INT)"
columns = [{{ name = "id", generate = "int", min = 0, max = 9 }}]
[[workload.statement]]
name = "group"
sql = "SELECT id, count(*) FROM t GROUP BY id"
[protocol]
blocks = {{ first = 2, last = 2 }}
"""


@pytest.fixture(scope="module")
def theirs() -> Iterator[Server]:
    """A server that belongs to no arm: with a password on TCP and somebody's schema."""
    with standing("mariadb-10.11.5", listen="127.0.0.1") as (server, admin, _):
        admin.run("CREATE USER bench@'127.0.0.1' IDENTIFIED BY 'se cret'")
        admin.run("GRANT ALL ON `dyno%`.* TO bench@'127.0.0.1'")
        yield server


def dyno(folder: Path, *arguments: str, password: str) -> subprocess.CompletedProcess[str]:
    return forks.dyno(*arguments, cwd=folder, limit_s=120, DYNO_PASSWORD=password)


@pytest.fixture
def folder(tmp_path: Path, theirs: Server) -> Path:
    address = f"mysql://bench@127.0.0.1:{theirs.port}/"
    (tmp_path / "there").mkdir()
    text = EXPERIMENT.format(address=address)
    (tmp_path / "there" / "experiment.toml").write_text(text)
    return tmp_path


def schemas(server: Server) -> set[str]:
    with closing(server.admin()) as connection, connection.cursor() as cursor:
        cursor.execute("SHOW DATABASES LIKE 'dyno%'")
        return {row[0] for row in cursor.fetchall()}


def test_it_runs_there_and_leaves_nothing(folder: Path, theirs: Server) -> None:
    done = dyno(folder, "run", "there/experiment.toml", "--json", password="se cret")
    assert done.returncode == 0, done.stderr
    assert "that Dyno made" not in done.stderr, "its own schemas are nobody else's"
    findings = json.loads(done.stdout)
    assert findings["run"]["trials_ok"] == 4
    assert findings["arms"][0]["version"].startswith("10.11.5")
    assert theirs.is_alive()
    assert schemas(theirs) == set()
    everything = b"".join(p.read_bytes() for p in folder.rglob("*") if p.is_file())
    assert b"se cret" not in everything


def test_a_wrong_password_is_one_line(folder: Path) -> None:
    failed = dyno(folder, "run", "there/experiment.toml", password="wrong")
    assert failed.returncode == 3
    errors = [line for line in failed.stderr.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1
    assert "Access denied" in errors[0]
    assert "Traceback" not in failed.stderr
    assert "wrong" not in errors[0]


def killed(folder: Path, server: Server) -> list[str]:
    """Kill a run there that has made its schemas, and marked them; gives their names."""

    def made() -> list[str]:
        with closing(server.admin()) as connection:
            return schemas_made(connection)

    file = folder / "there" / "experiment.toml"
    file.write_text(file.read_text().replace("SELECT id, ", "SELECT SLEEP(0.2), id, "))
    process = subprocess.Popen(
        [sys.executable, "-m", "dyno.cli.main", "run", "there/experiment.toml"],
        cwd=folder,
        env=os.environ | {"DYNO_PASSWORD": "se cret"},
        stderr=subprocess.DEVNULL,
    )
    wait_until(lambda: len(made()) == 2)
    process.kill()
    process.wait()
    return sorted(schemas(server))


def drop(server: Server, name: str) -> None:
    with closing(server.admin()) as connection, connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE `{name}`")


def test_runs_on_one_server_keep_apart(folder: Path, theirs: Server) -> None:
    left = killed(folder, theirs)
    (run,) = (folder / "runs" / "there").iterdir()
    assert left == [f"dyno_there_{run.name.lower().replace('-', '_')}_{n}" for n in (0, 1)]
    with (
        closing(theirs.admin()) as connection,
        pytest.raises(ServerError, match="made by another run of Dyno: dyno 2"),
    ):
        drop_schema(connection, left[0], owner="dyno 20260101T120000Z-abcd0123")
    other = dyno(folder, "run", "there/experiment.toml", "--out", "other", password="se cret")
    assert other.returncode == 0, other.stderr
    assert sorted(schemas(theirs)) == left
    assert (
        "more schemas that Dyno made, left by runs that still run or were killed: dyno_there"
        in (" ".join(other.stderr.split()))
    )
    resumed = dyno(folder, "run", "there/experiment.toml", "--resume", password="se cret")
    assert resumed.returncode == 0, resumed.stderr
    assert schemas(theirs) == set()


def test_a_schema_that_dyno_did_not_create_is_not_touched(folder: Path, theirs: Server) -> None:
    _, second = killed(folder, theirs)
    drop(theirs, second)
    with closing(theirs.admin()) as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {second}")
        cursor.execute(f"CREATE TABLE {second}.precious (id INT)")
    try:
        failed = dyno(folder, "run", "there/experiment.toml", "--resume", password="se cret")
        assert failed.returncode == 3, failed.stderr
        assert second in failed.stderr
        assert "hint:" in failed.stderr
        assert schemas(theirs) == {second}, "what Dyno made is gone, what it didn't stays"
        with closing(theirs.admin(second)) as connection, connection.cursor() as cursor:
            cursor.execute("SHOW TABLES")
            assert cursor.fetchall() == (("precious",),)
    finally:
        drop(theirs, second)


def test_settings_of_somebody_elses_server_are_refused(folder: Path) -> None:
    file = folder / "there" / "experiment.toml"
    file.write_text(file.read_text().replace("session =", "settings ="))
    failed = dyno(folder, "run", "there/experiment.toml", password="se cret")
    assert failed.returncode == 3
    assert "can't be changed" in failed.stderr


def test_a_password_in_the_file_is_refused(folder: Path) -> None:
    file = folder / "there" / "experiment.toml"
    file.write_text(file.read_text().replace("bench@", "bench:se%20cret@"))
    failed = dyno(folder, "run", "there/experiment.toml", password="")
    assert failed.returncode == 2
    assert "cret" not in failed.stderr
    assert "DYNO_PASSWORD" in failed.stderr
    assert not (folder / "runs").exists()
