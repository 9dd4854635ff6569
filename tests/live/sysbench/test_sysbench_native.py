"""A bundled script called by its name runs without Lua, where nothing needs it; nobody can tell.

That it does the same work is held in test_sysbench_work.py, its report in test_sysbench_report.py.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from processes import command_line
from programs import OUR_SCRIPTS, PROGRAMS, SCHEMA, Stand, command_of

from dyno.program import find_dynoload

ROWS = ["--table-size=1000", "--tables=2"]
THREADS = 16
# Main, signals, watchdog, reporter, loops; a worker of Lua is a thread each.
NATIVE_MOST = 8


@pytest.fixture
def filled(stand: Stand) -> Iterator[Stand]:
    stand.empty()
    ran = stand.run("dyno", "oltp_read_write", *ROWS, "prepare")
    assert ran.code == 0, ran.stdout
    yield stand
    stand.empty()


def start(
    stand: Stand, script: str, *options: str, folder: Path | None = None, program: str = "dyno"
) -> subprocess.Popen[str]:
    login = [f"--mysql-socket={stand.server.socket}", "--mysql-user=root", f"--mysql-db={SCHEMA}"]
    argv = [*command_of(program), script, *login, *ROWS, *options, "run"]
    return subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, cwd=folder or stand.folder)


def threads_of(stand: Stand, running: subprocess.Popen[str]) -> int:
    """How many threads a run has while it goes on; it is waited for."""
    stand.wait_for_work()
    found = len(list(Path(f"/proc/{running.pid}/task").iterdir()))
    out, _ = running.communicate(timeout=300)
    assert running.returncode == 0, out
    return found


def test_by_name_it_is_native_and_by_path_it_is_the_file(filled: Stand) -> None:
    options = [f"--threads={THREADS}", "--time=2"]
    assert threads_of(filled, start(filled, "oltp_read_write", *options)) <= NATIVE_MOST
    path = str(OUR_SCRIPTS / "oltp_read_write.lua")
    assert threads_of(filled, start(filled, path, *options)) >= THREADS


@pytest.mark.parametrize(
    "option",
    [
        "--rate=50",
        "--reconnect=100",
        "--mysql-ignore-errors=all",
        "--mysql-ignore-errors=2013",
        "--verbosity=4",
    ],
)
def test_what_only_scripts_can_do_is_done_by_the_script(filled: Stand, option: str) -> None:
    running = start(filled, "oltp_read_only", f"--threads={THREADS}", "--time=2", option)
    assert threads_of(filled, running) >= THREADS


def test_another_common_part_is_not_passed_over(filled: Stand, tmp_path: Path) -> None:
    shutil.copy(OUR_SCRIPTS / "oltp_common.lua", tmp_path)
    options = [f"--threads={THREADS}", "--time=2"]
    running = start(filled, "oltp_read_only", *options, folder=tmp_path)
    assert threads_of(filled, running) >= THREADS


def test_events_and_seconds_limit_it(filled: Stand) -> None:
    ran = filled.run("dyno", "oltp_read_only", *ROWS, "--threads=3", "--events=100", "run")
    assert "total number of events:              100\n" in ran.stdout
    begin = time.monotonic()
    options = ["--threads=3", "--time=2", "--warmup-time=1", "--json"]
    ran = filled.run("dyno", "oltp_write_only", *ROWS, *options, "run")
    assert 3 <= time.monotonic() - begin < 9
    assert json.loads(ran.stdout)["time_total_s"] == pytest.approx(2, abs=1)


def test_a_missing_table_is_reported_as_sysbench_reports_it(stand: Stand) -> None:
    stand.empty()
    theirs = stand.run("sysbench", "oltp_read_only", "run")
    ours = stand.run("dyno", "oltp_read_only", "run")
    assert ours.code == theirs.code == 1
    said = [line for line in ours.stdout.splitlines() if "MySQL error" in line]
    assert said == [line for line in theirs.stdout.splitlines() if "MySQL error" in line]
    assert "1146" in said[0]


def failures(out: str) -> set[str]:
    """What is said of a run that fails, without lines of scripts and who wrote the library."""
    lines = {line for line in out.splitlines() if line.startswith("FATAL: ")}
    return {re.sub(r" \S+\.lua:\d+:| MySQL(?= server)", "", line) for line in lines}


@pytest.mark.parametrize("mode", ["auto", "disable"])
def test_a_statement_that_fails_ends_the_run(filled: Stand, mode: str) -> None:
    found = []
    for program in PROGRAMS:
        assert filled.run(program, "oltp_read_only", *ROWS, "cleanup").code == 0
        assert filled.run(program, "oltp_read_only", *ROWS, "prepare").code == 0
        options = ["--threads=1", "--time=30", f"--db-ps-mode={mode}", "--skip-trx"]
        running = start(filled, "oltp_point_select", *options, program=program)
        filled.wait_for_work()
        filled.sql(f"DROP TABLE {SCHEMA}.sbtest1, {SCHEMA}.sbtest2")
        out, _ = running.communicate(timeout=120)
        assert running.returncode == 1
        assert "total number of events" not in out
        found.append({re.sub(r"sbtest\d|id=\d+", "", line) for line in failures(out)})
    theirs, ours = found
    assert ours == theirs
    assert len(ours) == 2


def test_a_lost_connection_ends_the_run(filled: Stand) -> None:
    found = []
    for program in PROGRAMS:
        options = ["--threads=2", "--time=30", "--tables=1"]
        running = start(filled, "oltp_point_select", *options, program=program)
        filled.wait_for_work()
        own = filled.sql("SELECT CONNECTION_ID()")[0][0]
        rows = filled.sql("SELECT id FROM information_schema.processlist WHERE user = 'root'")
        (victim, *_) = [id_ for (id_,) in rows if id_ != own]
        filled.sql(f"KILL {victim}")
        out, _ = running.communicate(timeout=120)
        assert running.returncode == 1, out
        # Before a statement is sent it is gone, behind that it is lost.
        gone = re.compile(r"2006|2013|Server has gone away|Lost connection to server during query")
        found.append({gone.sub("LOST", line) for line in failures(out)})
    theirs, ours = found
    assert ours == theirs
    assert "error LOST (LOST) for query 'SELECT c FROM sbtest1 WHERE id=?'" in sorted(ours)[1]


def test_deadlocks_are_retried_and_counted(filled: Stand) -> None:
    # Few rows and several updates an event make the threads wait for one another in circles.
    options = ["--threads=8", "--time=3", "--table-size=10", "--tables=1", "--index-updates=5"]
    ran = filled.run("dyno", "oltp_write_only", *options, "--json", "run")
    assert ran.code == 0, ran.stdout
    assert json.loads(ran.stdout)["queries"]["ignored_errors"] > 0


def test_an_event_that_hangs_is_cut_off(filled: Stand) -> None:
    filled.sql(f"LOCK TABLES {SCHEMA}.sbtest1 WRITE, {SCHEMA}.sbtest2 WRITE")
    options = ["--threads=2", "--time=1", "--forced-shutdown=1"]
    running = start(filled, "oltp_update_index", *options)
    try:
        out, _ = running.communicate(timeout=120)
    finally:
        filled.sql("UNLOCK TABLES")
    assert running.returncode == 2
    assert "Number of unfinished transactions on forced shutdown: 2" in out


def test_the_password_leaves_the_process_list(filled: Stand) -> None:
    program = [str(find_dynoload()), "sysbench"]
    filled.sql("GRANT ALL ON *.* TO guest@localhost IDENTIFIED BY 'geheim'")
    login = [f"--mysql-socket={filled.server.socket}", f"--mysql-db={SCHEMA}"]
    login += ["--mysql-user=guest", "--mysql-password=geheim"]
    argv = [*program, "oltp_point_select", *login, *ROWS, "--time=2", "run"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as running:
        seen = command_line(running, "xxxxxx")
        running.communicate(timeout=120)
    assert running.returncode == 0
    assert "geheim" not in seen
    assert "--mysql-password=xxxxxx" in seen
