"""Somebody else's server: used at its address, never restarted, and only Dyno's schema touched."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from dyno.servers import Server, create_data_dir, find_home, install, start

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
    """A server that is no arm's own: with a password on TCP and somebody's schema."""
    with tempfile.TemporaryDirectory(prefix="test-", dir=find_home().work) as name:
        folder = Path(name)
        folder.chmod(0o755)
        installation = install("mariadb-10.11.5")
        create_data_dir(installation, folder / "data")
        with start(installation, data_dir=folder / "data", run_dir=folder / "logs", tcp=True) as s:
            with closing(s.admin()) as connection, connection.cursor() as cursor:
                cursor.execute("CREATE USER bench@'127.0.0.1' IDENTIFIED BY 'se cret'")
                cursor.execute("GRANT ALL ON `dyno%`.* TO bench@'127.0.0.1'")
            yield s


def dyno(folder: Path, *arguments: str, password: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "dyno.cli.main", *arguments],
        cwd=folder,
        env=os.environ | {"DYNO_PASSWORD": password},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


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


def test_a_schema_that_dyno_did_not_create_is_not_touched(folder: Path, theirs: Server) -> None:
    with closing(theirs.admin()) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE dyno_there_0")
        cursor.execute("CREATE TABLE dyno_there_0.precious (id INT)")
    try:
        failed = dyno(folder, "run", "there/experiment.toml", password="se cret")
        assert failed.returncode == 3, failed.stderr
        assert "dyno_there_0" in failed.stderr
        assert "hint:" in failed.stderr
        with closing(theirs.admin("dyno_there_0")) as connection, connection.cursor() as cursor:
            cursor.execute("SHOW TABLES")
            assert cursor.fetchall() == (("precious",),)
    finally:
        with closing(theirs.admin()) as connection, connection.cursor() as cursor:
            cursor.execute("DROP DATABASE dyno_there_0")


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
