"""The command line around scripts: where they come from, limits of time, exit codes."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from programs import API_SCRIPTS, OURS, PROGRAMS, SCHEMA, Stand, run
from report_parser import read_run

SLOW = 'ffi.cdef("int usleep(unsigned int);")\nfunction event() ffi.C.usleep(%d) end\n'


def script(folder: Path, text: str, name: str = "script.lua") -> str:
    (folder / name).write_text(text)
    return name


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_version(program: str, tmp_path: Path) -> None:
    ran = run(program, "--version", folder=tmp_path)
    assert ran.code == 0
    assert ran.stdout.startswith("sysbench 1.0.20")


@pytest.mark.parametrize("program", PROGRAMS)
def test_help_names_the_options(program: str, tmp_path: Path) -> None:
    ran = run(program, "--help", folder=tmp_path)
    assert ran.code == 0
    assert "Commands implemented by most tests: prepare run cleanup help" in ran.stdout
    for option in ("--threads=N", "--time=N", "--mysql-host=[LIST,...]", "--histogram[=on|off]"):
        assert f"  {option} " in ran.stdout


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_script_that_is_not_there(program: str, tmp_path: Path) -> None:
    ran = run(program, "nix", "run", folder=tmp_path)
    assert ran.code == 1
    assert "FATAL: Cannot find benchmark 'nix': no such built-in test, file or module" in ran.stdout


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("arguments", [[], ["-"], ["-", "run"]])
def test_a_script_from_standard_input(program: str, tmp_path: Path, arguments: list[str]) -> None:
    text = 'print("> " .. tostring(sysbench.cmdline.script_path))\nfunction event() error() end\n'
    ran = run(program, *arguments, folder=tmp_path, stdin=text)
    assert ran.code == 0, ran.stdout + ran.stderr
    assert len(ran.said) == 1


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_first_line_for_the_shell_and_a_module(program: str, tmp_path: Path) -> None:
    script(tmp_path, '#!/usr/bin/env sysbench\nprint("> " .. require("helper").word)\n')
    script(tmp_path, 'return {word = "helped"}\n', "helper.lua")
    assert run(program, "script.lua", folder=tmp_path).said == ["helped"]
    assert run(program, "script", folder=tmp_path).said == ["helped"]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("text", ["function event(", 'error("in the body")', "nothing.at.all()"])
def test_a_script_that_is_broken(program: str, tmp_path: Path, text: str) -> None:
    ran = run(program, script(tmp_path, text + "\n"), "run", folder=tmp_path)
    assert ran.code == 1
    assert "FATAL: script.lua:" in ran.stdout + ran.stderr


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_file_of_options(program: str, tmp_path: Path) -> None:
    (tmp_path / "options").write_text('threads=3 # a comment\nevents="9"\nrand-seed=4\n\n')
    name = script(tmp_path, "function event() end\n")
    ran = run(program, name, "--config-file=options", "run", folder=tmp_path)
    found = read_run(ran.stdout, sql=False)
    assert found.settings["threads"] == 3
    assert found.settings["seed"] == 4
    assert found.final["events"] == 9


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_time_limit_and_the_event_limit(program: str, tmp_path: Path) -> None:
    name = script(tmp_path, SLOW % 10_000)
    short = read_run(run(program, name, "--time=1", "run", folder=tmp_path).stdout, sql=False)
    assert 10 <= short.final["events"] <= 100
    assert 1 <= short.final["total_time_s"] < 9
    options = ["--threads=3", "--events=31", "run"]
    few = read_run(run(program, name, *options, folder=tmp_path).stdout, sql=False)
    assert few.final["events"] == 31
    assert few.final["total_time_s"] < 9


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_run_that_is_forced_to_end(program: str, tmp_path: Path) -> None:
    name = script(tmp_path, SLOW % 20_000_000)
    begin = time.monotonic()
    options = ["--threads=2", "--time=1", "--forced-shutdown=1", "run"]
    ran = run(program, name, *options, folder=tmp_path)
    assert ran.code == 2
    assert time.monotonic() - begin < 19
    assert "limit has expired, forcing shutdown..." in ran.stdout
    assert "Number of unfinished transactions on forced shutdown: 2" in ran.stdout


@pytest.mark.parametrize("program", PROGRAMS)
def test_arrivals_wait_for_a_slow_event(program: str, tmp_path: Path) -> None:
    """One event stalls; those behind it are late, and their latency says so."""
    name = script(
        tmp_path,
        'ffi.cdef("int usleep(unsigned int);")\nlocal events = 0\n'
        "function event() events = events + 1\n"
        "if events == 20 then ffi.C.usleep(1000000) end end\n",
    )
    options = ["--rate=50", "--time=3", "--percentile=90", "run"]
    final = read_run(run(program, name, *options, folder=tmp_path).stdout, sql=False).final
    assert 90 < final["events"] < 220
    assert final["max_ms"] >= 1000
    # About 50 of 150 came in the second of the stall: even of the last tenth, each waited long.
    assert final["percentile_ms"] > 100
    assert final["sum_ms"] > 8000


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_server_that_is_not_there(stand: Stand, program: str) -> None:
    options = ["--mysql-socket=/nowhere/mysqld.sock", "--mysql-user=root", "run"]
    ran = run(program, "oltp_read_only", *options, folder=stand.folder)
    assert ran.code == 1
    assert (
        "FATAL: unable to connect to MySQL server on socket '/nowhere/mysqld.sock', aborting..."
        in ran.stdout
    )
    assert "connection creation failed" in ran.stdout
    assert "FATAL: Thread initialization failed!" in ran.stdout


@pytest.mark.parametrize("program", PROGRAMS)
def test_an_unknown_option_is_one_of_a_script_of_old(program: str, tmp_path: Path) -> None:
    name = script(tmp_path, 'function event() print("> " .. my_option) return true end\n')
    ran = run(program, name, "--my-option=7", "run", folder=tmp_path)
    assert ran.said == ["7"]


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_oltp_scripts_say_what_is_wrong(stand: Stand, program: str) -> None:
    commands = "Command is required. Supported commands: prepare, prewarm, run, cleanup, help"
    ran = stand.run(program, "oltp_read_write")
    assert ran.code == 1
    assert commands in ran.stdout
    ran = stand.run(program, "oltp_common", "run")
    assert ran.code == 1
    assert "this script is meant to be included by other OLTP scripts" in ran.stdout
    ran = stand.run(program, "oltp_read_write", "--tables=1", "run")
    assert ran.code == 1
    assert "doesn't exist" in ran.stdout


@pytest.mark.parametrize("program", OURS)
def test_postgresql_is_refused_with_the_reason(tmp_path: Path, program: str) -> None:
    name = script(tmp_path, "function prepare() sysbench.sql.driver() end\n")
    ran = run(program, name, "--db-driver=pgsql", "prepare", folder=tmp_path)
    assert ran.code == 1
    assert "FATAL: invalid database driver name: 'pgsql'\nhint: Dyno speaks MySQL's" in ran.stdout


@pytest.mark.parametrize("program", OURS)
def test_a_script_finds_its_helpers_from_anywhere(program: str, tmp_path: Path) -> None:
    folder = tmp_path / "scripts"
    folder.mkdir()
    script(folder, 'print("> " .. require("helper").word)\n')
    script(folder, 'return {word = "helped"}\n', "helper.lua")
    assert run(program, str(folder / "script.lua"), folder=tmp_path).said == ["helped"]


@pytest.mark.parametrize("program", OURS)
def test_reconnecting_scripts(stand: Stand, program: str) -> None:
    size = ["--table-size=100"]
    assert stand.run(program, "oltp_read_write", *size, "prepare").code == 0
    options = [*size, "--threads=2", "--events=40", "--time=0", "--reconnect=5", "run"]
    ran = stand.run(program, "oltp_read_write", *options)
    assert ran.code == 0, ran.stdout + ran.stderr
    final = read_run(ran.stdout).final
    assert final["events"] == 40
    assert 6 <= final["reconnects"] <= 8


@pytest.mark.parametrize("program", OURS)
def test_a_failing_parallel_command_is_an_error(stand: Stand, program: str) -> None:
    options = ["--threads=2", "--tables=2", "--mysql-storage-engine=nix", "--table-size=5"]
    stand.sql("SET GLOBAL sql_mode = 'NO_ENGINE_SUBSTITUTION'")
    try:
        assert stand.run(program, "oltp_read_write", *options, "prepare").code == 1
    finally:
        stand.sql("SET GLOBAL sql_mode = DEFAULT")


@pytest.mark.parametrize("program", OURS)
def test_an_event_that_always_fails_ends_with_the_time(stand: Stand, program: str) -> None:
    stand.sql(f"CREATE TABLE {SCHEMA}.one (id INT PRIMARY KEY)")
    stand.sql(f"INSERT INTO {SCHEMA}.one VALUES (1)")
    text = (
        "function thread_init() con = sysbench.sql.driver():connect() end\n"
        'function event() con:query("INSERT INTO one VALUES (1)") end\n'
    )
    name = script(stand.folder, text)
    options = ["--time=1", "--mysql-ignore-errors=1062", "run"]
    begin = time.monotonic()
    ran = stand.run(program, name, *options)
    assert time.monotonic() - begin < 60
    assert ran.code == 0, ran.stdout + ran.stderr
    assert read_run(ran.stdout).final["errors"] > 10


def test_every_program_is_tested_by_the_api_scripts() -> None:
    assert list(API_SCRIPTS.glob("*.lua"))
    assert set(OURS) <= set(PROGRAMS)
