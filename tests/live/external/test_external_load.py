"""A load on somebody else's server, with an account that has few rights: no PROCESS, no SUPER."""

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
question = "Does a load run there?"
[[arm]]
name = "there"
baseline = true
server = "{address}"
[[arm]]
name = "there again"
server = "{address}"
session = {{ sort_buffer_size = 1048576 }}
[workload]
kind = "oltp"
script = "oltp_read_write"
tables = 2
table_size = 500
[sweep]
connections = [1, 3]
[protocol]
blocks = {{ first = 1, last = 1 }}
warmup = "2s"
duration = "2s"
"""
PASSWORD = "se cret"


@pytest.fixture(scope="module")
def theirs() -> Iterator[Server]:
    """A server of somebody else on TCP, with an account for Dyno's schemas and one for none."""
    with standing("mariadb-10.11.5", listen="127.0.0.1") as (server, admin, _):
        for user in ("few", "none"):
            admin.run(f"CREATE USER {user}@'127.0.0.1' IDENTIFIED BY %s", PASSWORD)
        admin.run(
            "GRANT CREATE, DROP, INDEX, SELECT, INSERT, UPDATE, DELETE "
            "ON `dyno\\_%`.* TO few@'127.0.0.1'"
        )
        yield server


def dyno(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return forks.dyno(*arguments, cwd=folder, limit_s=180, DYNO_PASSWORD=PASSWORD)


def write(folder: Path, server: Server, *, user: str = "few") -> None:
    (folder / "there").mkdir()
    text = EXPERIMENT.format(address=f"mysql://{user}@127.0.0.1:{server.port}/")
    (folder / "there" / "experiment.toml").write_text(text)


def schemas(server: Server) -> set[str]:
    with closing(server.admin()) as connection, connection.cursor() as cursor:
        cursor.execute("SHOW DATABASES LIKE 'dyno%'")
        return {row[0] for row in cursor.fetchall()}


def trials(folder: Path) -> list[dict[str, Any]]:
    files = sorted(folder.glob("runs/there/*/trials/[0-9]*/trial.json"))
    return [json.loads(file.read_text()) for file in files]


def test_a_load_runs_there_and_says_what_it_could_not_see(tmp_path: Path, theirs: Server) -> None:
    write(tmp_path, theirs)
    begun = theirs.process.pid
    done = dyno(tmp_path, "run", "there/experiment.toml", "--json")
    assert done.returncode == 0, done.stderr
    found = trials(tmp_path)
    assert len(found) == 4
    for trial in found:
        assert trial["status"] == "ok"
        assert trial["server"]["managed"] is False
        assert "start" not in trial["steps"]
        assert trial["summary"]["phases"][-1]["ok"] > 10
        assert trial["status_by_phase"]["measure"]["Com_commit"] > 0
        # The load host is seen, the server's process is not: missing, never 0.
        assert trial["phases"]["measure"].keys() == {"context_switches"}
        missing = trial["telemetry_cost"]["unavailable"]
        assert {"server process", "server error log"} <= missing.keys()
        assert {"server variables", "server status"}.isdisjoint(missing)
        assert not trial.get("profile")
        assert "someone else runs the server" in trial["profile_unavailable"]
    notes = [line for line in done.stderr.splitlines() if "unavailable on this server" in line]
    assert len(notes) == 1, "said once"
    assert "server process" in notes[0]
    changing = [line for line in done.stderr.splitlines() if "change with every trial" in line]
    assert len(changing) == 2, "once an arm"
    assert theirs.is_alive()
    assert theirs.process.pid == begun
    assert schemas(theirs) == set()


def test_an_account_without_rights_hears_what_it_needs(tmp_path: Path, theirs: Server) -> None:
    write(tmp_path, theirs, user="none")
    failed = dyno(tmp_path, "run", "there/experiment.toml")
    assert failed.returncode == 3, failed.stderr
    errors = [line for line in failed.stderr.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1, failed.stderr
    assert "dyno_there_2" in errors[0]
    assert "Access denied" in errors[0]
    assert "CREATE, DROP, INDEX" in failed.stderr
    assert "Traceback" not in failed.stderr
