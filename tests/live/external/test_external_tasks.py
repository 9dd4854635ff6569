"""Tasks on somebody else's server: SQL beside a load and after it; an account with few rights."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import forks
import pytest
from standing import standing

from dyno.servers import Server

EXPERIMENT = """
title = "small"
question = "What do tasks do there?"
[[arm]]
name = "there"
baseline = true
server = "{address}"
[workload]
kind = "oltp"
script = "oltp_read_write"
tables = 1
table_size = 20000
[protocol]
connections = 2
blocks = {{ first = 2, last = 2 }}
warmup = "0.5s"
[[task]]
name = "prepare"
sql = ["CREATE TABLE beside_it (a INT)", "DROP TABLE beside_it"]
compare = "nothing"
[[task]]
name = "index"
sql = ["ALTER TABLE sbtest1 ADD INDEX c2 (c)", "ALTER TABLE sbtest1 DROP INDEX c2"]
beside = true
before = "0.5s"
after = "0.5s"
[[task]]
name = "sleep"
sql = "SELECT SLEEP(60)"
timeout = "0.5s"
[[task]]
name = "nothing"
sql = "OPTIMIZE TABLE nowhere"
"""
PASSWORD = "se cret"
CRASH = """
[[task]]
name = "crash"
do = "crash"
"""


@pytest.fixture(scope="module")
def theirs() -> Iterator[Server]:
    """A server of somebody else on TCP, with an account for Dyno's schemas alone."""
    with standing("mariadb-10.11.5", listen="127.0.0.1") as (server, admin, _):
        admin.run("CREATE USER few@'127.0.0.1' IDENTIFIED BY %s", PASSWORD)
        admin.run(
            "GRANT CREATE, DROP, INDEX, ALTER, SELECT, INSERT, UPDATE, DELETE "
            "ON `dyno\\_%`.* TO few@'127.0.0.1'"
        )
        yield server


def dyno(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return forks.dyno(*arguments, cwd=folder, limit_s=300, DYNO_PASSWORD=PASSWORD)


def write(folder: Path, server: Server, more: str = "") -> None:
    (folder / "there").mkdir()
    text = EXPERIMENT.format(address=f"mysql://few@127.0.0.1:{server.port}/")
    (folder / "there" / "experiment.toml").write_text(text + more)


def schemas(server: Server) -> set[str]:
    with closing(server.admin()) as connection:
        return {row[0] for row in connection.rows("SHOW DATABASES LIKE 'dyno%'")}


def trials(folder: Path) -> list[dict[str, Any]]:
    files = sorted(folder.glob("runs/there/*/trials/[0-9]*/trial.json"))
    return [json.loads(file.read_text()) for file in files]


def test_tasks_are_done_there_timed_and_reported(tmp_path: Path, theirs: Server) -> None:
    write(tmp_path, theirs)
    begun = theirs.process.pid
    done = dyno(tmp_path, "run", "there/experiment.toml", "--json")
    assert done.returncode == 0, done.stderr
    found = trials(tmp_path)
    assert [trial["status"] for trial in found] == ["ok", "ok"], found
    for trial in found:
        assert [(task["name"], task["outcome"]) for task in trial["tasks"]] == [
            ("prepare", "ok"),
            ("index", "ok"),
            ("sleep", "timeout"),
            ("nothing", "failed"),
        ], trial["tasks"]
        _, index, sleep, nothing = trial["tasks"]
        assert index["status"]["Com_alter_table"] == 2
        (before,), (after,) = index["sizes_before"], index["sizes_after"]
        assert before["table"] == after["table"] == "sbtest1"
        assert "file_bytes" not in before, "its files aren't ours to look at"
        assert 0.5 <= sleep["elapsed_s"] < 5
        assert "doesn't exist" in nothing["message"]
        assert trial["summary"]["complete"]
    findings = json.loads(done.stdout)
    (index,) = [task for task in findings["tasks"]["tasks"] if task["task"] == "index"]
    assert (index["trials"], index["ok"]) == (2, 2)
    assert theirs.is_alive()
    assert theirs.process.pid == begun
    assert schemas(theirs) == set()


def test_what_would_stop_the_server_is_refused(tmp_path: Path, theirs: Server) -> None:
    write(tmp_path, theirs, CRASH)
    failed = dyno(tmp_path, "run", "there/experiment.toml")
    assert failed.returncode == 2
    assert f"Dyno does no crash on mysql://few@127.0.0.1:{theirs.port}/" in failed.stderr
    assert theirs.is_alive()
