"""No server outlives Dyno, however Dyno ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from processes import stop

from dyno.home import Home
from dyno.launch import launch
from dyno.servers import Installation, create_data_dir, start

Script = Callable[[str], subprocess.Popen[str]]

START = """
import json, signal, sys, threading, time
from pathlib import Path
from dyno.servers import *
work = Path({work!r})
installation = find_installation({name!r})

def go():
    global server
    server = start(installation, data_dir=work / "data", run_dir=work / "run")
    print(json.dumps([server.pid, str(server.socket)]), flush=True)
"""
IN_MAIN = START + "go(); time.sleep(60)"
IN_THREAD = (
    START
    + """
thread = threading.Thread(target=go); thread.start(); thread.join()
time.sleep(60)
"""
)
SIGINT_THEN_STOP = (
    START
    + """
try:
    go()
    time.sleep(60)
except KeyboardInterrupt:
    time.sleep(1)
    connection = server.admin()
    cursor = connection.cursor()
    cursor.execute("SELECT 42")
    print(cursor.fetchone()[0], flush=True)
    connection.close()
    print(server.stop(), flush=True)
"""
)
FORGETS = START + "go()"


@pytest.fixture
def prepared(work: Path, mariadb: Installation, home: Home) -> dict[str, str]:
    create_data_dir(mariadb, work / "data", home=home)
    return {"work": str(work), "name": mariadb.name}


def _started(process: subprocess.Popen[str]) -> tuple[psutil.Process, Path]:
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, process.communicate()[1]
    pid, socket = json.loads(line)
    return psutil.Process(pid), Path(socket)


def _gone_after_s(process: psutil.Process, limit_s: float) -> float:
    begun = time.monotonic()
    while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() - begun < limit_s, "the server is still there"
        time.sleep(0.01)
    return time.monotonic() - begun


@pytest.mark.parametrize("code", [IN_MAIN, IN_THREAD], ids=["main thread", "thread that ended"])
def test_kill_9_of_dyno_takes_the_server_along(
    code: str, script: Script, prepared: dict[str, str]
) -> None:
    dyno = script(code.format(**prepared))
    server, _ = _started(dyno)
    time.sleep(0.5)
    assert server.is_running()
    dyno.kill()
    _gone_after_s(server, 2.0)


def test_a_dyno_that_ends_without_stopping_leaves_nothing(
    script: Script, prepared: dict[str, str]
) -> None:
    dyno = script(FORGETS.format(**prepared))
    server, _ = _started(dyno)
    _gone_after_s(server, 2.0)


def test_ctrl_c_doesnt_reach_the_server(script: Script, prepared: dict[str, str]) -> None:
    dyno = script(SIGINT_THEN_STOP.format(**prepared))
    _started(dyno)
    os.killpg(dyno.pid, signal.SIGINT)
    out, err = dyno.communicate(timeout=120)
    assert out.split() == ["42", "True"], err


def test_what_a_killed_dyno_left_in_tmp_is_removed_by_the_next(
    script: Script, prepared: dict[str, str], mariadb: Installation, home: Home, work: Path
) -> None:
    dyno = script(IN_MAIN.format(**prepared))
    server, socket = _started(dyno)
    dyno.kill()
    dyno.wait()
    _gone_after_s(server, 2.0)
    left = socket.parent.parent
    assert left.exists()
    with start(mariadb, data_dir=work / "data", run_dir=work / "run"):
        assert not left.exists()


def test_a_server_that_doesnt_stop_is_killed_with_a_note(
    prepared: dict[str, str], mariadb: Installation, work: Path
) -> None:
    server = start(mariadb, data_dir=work / "data", run_dir=work / "run")
    stop(server.pid)
    assert server.stop(timeout_s=0.5) is False
    assert not server.is_alive()
    assert "dyno: no clean shutdown within 0.5 s" in server.error_log.read_text()


def test_kill_is_a_crash_from_which_the_server_recovers(
    prepared: dict[str, str], mariadb: Installation, work: Path
) -> None:
    server = start(mariadb, data_dir=work / "data", run_dir=work / "run")
    server.kill()
    assert server.process.returncode == -signal.SIGKILL
    assert server.stop() is False
    with start(mariadb, data_dir=work / "data", run_dir=work / "run") as again:
        assert again.is_alive()
    assert again.process.returncode == 0


def test_other_programs_are_launched_alike(work: Path) -> None:
    process = launch(
        ["/bin/sh", "-c", "ulimit -c; echo $0 $HELLO $HOME; cat; exit 7", "me"],
        env={"HELLO": "there"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    out, _ = process.communicate(b"from stdin\n")
    assert out.decode().splitlines() == ["0", "me there", "from stdin"]
    assert process.returncode == 7


def test_a_program_that_isnt_there_ends_with_127(work: Path) -> None:
    process = launch(["/nowhere/program"], env={}, stderr=subprocess.PIPE)
    _, err = process.communicate()
    assert process.returncode == 127
    assert b"can't start /nowhere/program" in err
