"""How it ends: mysqlslap's exit codes for wrong command lines, and ours where mysqlslap errs."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import termios
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from slaps import Stand, ours, run

PROCESSES = "information_schema.processlist"
# With the code that both programs end with.
SAME: list[tuple[list[str], int]] = [
    (["--bogus"], 2),
    (["--bogus=1"], 7),
    (["-Z"], 2),
    (["--auto-generate-sq"], 3),
    (["--i=3"], 3),
    (["--help=3"], 4),
    (["--iterations=x"], 9),
    (["--iterations=1.5"], 9),
    (["--iterations=-1"], 13),
    (["--number-of-queries=99999999999999999999"], 13),
    (["--protocol=foo"], 1),
    (["-a", "--create=x"], 1),
    (["-a", "-q", "x"], 1),
    (["-a", "--auto-generate-sql-guid-primary", "--auto-generate-sql-add-autoincrement"], 1),
    (["-a", "--auto-generate-sql-load-type=key"], 1),
    (["-a", "--number-of-queries=3", "--auto-generate-sql-execute-number=3"], 1),
    (["-q", "/"], 1),
    (["-a", "--csv=/nonexistent/x"], 1),
    (["-q", "SELECT 1", "one", "two", "three", "four"], 1),
    (["--create=nonsense"], 1),
    (["-a", "--no-drop", "-i2"], 1),
    (["--create=CREATE TABLE x(a int)", "--pre-query=nonsense", "-q", "SELECT 1"], 1),
    (["--create=CREATE TABLE x(a int)", "--post-query=nonsense", "-q", "SELECT 1"], 1),
    (["-q", "SELECT 1", "--socket=/nonexistent"], 1),
    (["-V"], 0),
    (["--help"], 0),
    (["-a", "one", "--loose-bogus", "--iter=1"], 0),
]


@pytest.mark.parametrize(("options", "code"), SAME, ids=[" ".join(o) for o, _ in SAME])
def test_the_code_is_mysqlslaps(stand: Stand, options: list[str], code: int) -> None:
    theirs, mine = stand.both(*options)
    assert (theirs.done.code, mine.done.code) == (code, code), mine.done.err
    if code:
        assert mine.done.err.startswith("dynoload slap: ")
        assert not mine.done.out
        first = theirs.done.err.splitlines()[0].removeprefix("mariadb-slap: ")
        if options[0] in ("--bogus", "-Z") or "nonsense" in first or "-i2" in options:
            assert mine.done.err.splitlines()[0] == f"dynoload slap: {first}"


@pytest.fixture
def foreign(stand: Stand) -> Stand:
    """Somebody else's schema, under the name that a run would take."""
    stand.sql("CREATE DATABASE mysqlslap")
    stand.sql("CREATE TABLE mysqlslap.precious (a int)")
    return stand


def has_precious(stand: Stand) -> bool:
    return bool(stand.sql("SHOW TABLES IN mysqlslap LIKE 'precious'"))


def test_a_schema_that_the_run_did_not_make_is_left_alone(foreign: Stand) -> None:
    for options in (["-a"], ["--create=CREATE TABLE x(a int)", "-q", "SELECT 1"]):
        done = foreign.slap(*options)
        assert done.code == 1
        assert "Cannot create schema mysqlslap : Can't create database" in done.err
        assert "hint: " in done.err
        assert "--i-know-what-i-drop" in done.err
        assert has_precious(foreign)
    assert foreign.slap("-a", "--i-know-what-i-drop", "-s").code == 0
    assert not foreign.has_schema()


def test_a_statement_that_fails_ends_the_run_with_its_code(stand: Stand) -> None:
    done = stand.slap("-q", "SELECT nonsense", "--create=CREATE TABLE x(a int)", "-c3", "-i3")
    assert done.code == 20
    assert "dynoload slap: Cannot run query SELECT nonsense ERROR : Unknown column" in done.err
    assert done.out == ""
    assert not stand.has_schema(), "what the run made it also drops"


def test_cells_before_a_failure_are_reported(stand: Stand) -> None:
    engines = "--engine=myisam,nonsense"
    done = stand.slap("-a", engines, "--csv", "--sql-mode=NO_ENGINE_SUBSTITUTION")
    assert done.code == 1
    assert done.out.startswith("myisam,mixed,")
    assert done.out.count("\n") == 1


def test_clients_that_cannot_connect_give_a_code(stand: Stand) -> None:
    began = time.monotonic()
    done = stand.slap("-q", "SELECT 1", "--create-schema=missing", "-c2")
    assert done.code == 20
    assert "Error when connecting to server: 1049 Unknown database 'missing'" in done.err
    assert done.out == ""
    assert time.monotonic() - began < 4, "waiting can't help here"


def test_a_full_server_is_tried_again(stand: Stand) -> None:
    (limit,) = stand.sql("SELECT @@max_connections")[0]
    stand.sql("SET GLOBAL max_connections=12")
    try:
        slow = ["--create-schema=mysql", "--json", "-q", "SELECT SLEEP(0.3)"]
        assert stand.slap(*slow, "-c8").code == 0
        full = stand.slap(*slow, "-c40")
    finally:
        stand.sql(f"SET GLOBAL max_connections={limit}")
    assert full.code == 20
    assert "1040 Too many connections" in full.err


def test_a_reconnect_that_is_tried_again_is_counted(stand: Stand) -> None:
    def soon(sql: str) -> int:
        for value in (int(str(stand.sql(sql)[0][-1])) for _ in range(3000)):
            if value:
                return value
            time.sleep(0.01)
        raise AssertionError(f"never: {sql}")

    (limit,) = stand.sql("SELECT @@max_connections")[0]
    argv = [*ours(), *stand.login, "--create-schema=mysql", "--json", "--number-of-queries=2"]
    argv += ["--detach=1", "-q", "SELECT SLEEP(1)"]
    with ExitStack() as crowd:
        for _ in range(12):
            crowd.enter_context(closing(stand.server.admin()))
        stand.sql("FLUSH STATUS")
        with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as running:
            soon(f"SELECT COUNT(*) FROM {PROCESSES} WHERE info = 'SELECT SLEEP(1)'")
            stand.sql("SET GLOBAL max_connections=10")
            try:
                soon("SHOW GLOBAL STATUS LIKE 'Connection_errors_max_connections'")
            finally:
                stand.sql(f"SET GLOBAL max_connections={limit}")
            out, _ = running.communicate(timeout=60)
    cell = json.loads(out)
    assert (running.returncode, cell["statements"]) == (0, 2)
    assert cell["connect_retries"] >= 1


@pytest.mark.parametrize("options", [[], ["--number-of-queries=9"], ["--time=60"]])
def test_an_empty_list_ends(stand: Stand, options: list[str]) -> None:
    done = stand.slap("--create-schema=mysql", "-c2", "--json", *options)
    assert done.code == 0, done.err
    assert json.loads(done.out)["statements"] == 0


@pytest.mark.parametrize(
    "options",
    [["--iterations=0"], ["-c0"], ["-F", ""], ["--compression-algorithms=lz4"], ["--ssl-key=x"]],
)
def test_what_would_measure_something_else_is_refused(stand: Stand, options: list[str]) -> None:
    done = stand.slap("-q", "SELECT 1", "--create-schema=mysql", *options)
    assert done.code == 1
    assert "hint: " in done.err
    assert done.out == ""


def test_a_signal_ends_the_run_in_order(stand: Stand) -> None:
    options = ["-a", "-c2", "--time=60"]
    process = subprocess.Popen(
        [*ours(), *stand.login, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    end = time.monotonic() + 120
    while not stand.has_schema():
        assert time.monotonic() < end
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert (process.returncode, out) == (130, "")
    assert "stopped by a signal" in err
    assert not stand.has_schema()


@pytest.fixture
def account(stand: Stand) -> Iterator[Stand]:
    stand.sql("CREATE USER keeper@localhost IDENTIFIED BY 'pass 4711'")
    stand.sql("GRANT ALL ON mysqlslap.* TO keeper@localhost")
    yield stand
    stand.sql("DROP USER keeper@localhost")


def test_passwords_come_from_four_places_and_are_never_shown(account: Stand) -> None:
    options = ["-a", "-s", "--user=keeper"]
    assert account.slap(*options, env={"MYSQL_PWD": "pass 4711"}).code == 0
    assert account.slap(*options, "-ppass 4711").code == 0
    file = account.path / "keeper.cnf"
    file.write_text("[client]\nuser = keeper\npassword = 'pass 4711' # secret\n")
    files = [f"--defaults-file={file}", f"--socket={account.server.socket}", "-a", "-s"]
    assert run([*ours(), *files]).code == 0
    wrong = account.slap(*options, "-pfalse 4712", env={"MYSQL_PWD": "pass 4711"})
    assert wrong.code == 1
    assert "Access denied for user 'keeper'" in wrong.err
    printed = run([*ours(), f"--defaults-file={file}", "--print-defaults"])
    assert "--user=keeper" in printed.out
    for text in (wrong.err, wrong.out, printed.out):
        assert "471" not in text


def test_a_password_is_asked_for_on_the_terminal(account: Stand) -> None:
    argv = [*ours(), *account.login, "--user=keeper", "-p", "-a", "-c2", "--csv"]
    child, terminal = pty.fork()
    if child == 0:
        os.execv(argv[0], argv)
    seen = b""
    while b"Enter password: " not in seen:
        seen += os.read(terminal, 1000)
    end = time.monotonic() + 60
    while termios.tcgetattr(terminal)[3] & termios.ECHO:
        assert time.monotonic() < end, "what is typed can be seen"
        time.sleep(0.01)
    os.write(terminal, b"pass 4711\n")
    try:
        while chunk := os.read(terminal, 1000):
            seen += chunk
    except OSError:
        pass  # A terminal whose other side is gone reads as an error.
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0, seen
    assert b",mixed," in seen
    assert b"pass 4711" not in seen


def test_option_files_are_read_by_mysqlslaps_groups(stand: Stand, tmp_path: Path) -> None:
    file = tmp_path / "my.cnf"
    file.write_text(
        f"[client]\nsocket={stand.server.socket}\nuser=root\n[mysqld]\nport=1\n"
        "[mysqlslap]\nquery = 'SELECT 1'\ncreate-schema=mysql\n[mariadb-slap]\nconcurrency=3\n"
        "[client_x]\niterations=2\n"
    )
    lines = []
    for program in (["mariadb-slap"], ours()):
        done = run([*program, f"--defaults-file={file}", "--csv"])
        assert done.code == 0, done.err
        lines.append(done.out.split(",")[5:])
    assert lines == [["3", "1\n"], ["3", "1\n"]]
