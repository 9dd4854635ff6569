"""The logic of `dyno servers`: list, start, stop, shell, remove."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable

import psutil
import pytest

from dyno.errors import ServerError
from dyno.home import Home, find_home
from dyno.servers import (
    ServerRow,
    install,
    install_server,
    list_servers,
    remove_server,
    shell_argv,
    start_server,
    stop_server,
    wait_server,
)

NAME = "mariadb-10.11.5"
FOREGROUND = """
from dyno.home import find_home
from dyno.servers import *
home = find_home({{"DYNO_HOME": {home!r}}})
server = start_server({name!r}, home=home, settings={{"max_connections": 33}})
print("ready", flush=True)
print(wait_server(server, home=home))
"""


@pytest.fixture
def one_home(home: Home, new_home: Home) -> Home:
    """A home with one server in it."""
    shutil.copytree(install(NAME, home=home).home, new_home.servers / NAME)
    return new_home


def _row(home: Home) -> ServerRow:
    return next(row for row in list_servers(home=home) if row.name == NAME)


def test_start_list_shell_stop_remove(
    one_home: Home, script: Callable[[str], subprocess.Popen[str]]
) -> None:
    row = _row(one_home)
    assert (row.installed, row.running_pid, row.version) == (True, None, "10.11.5")
    assert row.size_bytes is not None
    assert row.size_bytes > 100_000_000
    with pytest.raises(ServerError, match="isn't running"):
        stop_server(NAME, home=one_home)

    terminal = script(FOREGROUND.format(home=str(one_home.root), name=NAME))
    assert terminal.stdout is not None
    assert terminal.stdout.readline() == "ready\n"
    row = _row(one_home)
    assert row.running_pid is not None
    assert row.socket is not None
    assert row.socket.exists()
    with pytest.raises(ServerError, match="is already running"):
        start_server(NAME, home=one_home)
    with pytest.raises(ServerError, match="is running"):
        remove_server(NAME, home=one_home)
    shell = [*shell_argv(NAME, home=one_home), "-Ne", "SELECT @@max_connections"]
    assert subprocess.run(shell, capture_output=True, text=True, check=True).stdout == "33\n"

    assert stop_server(NAME, home=one_home) is True
    assert terminal.communicate(timeout=120)[0] == "0\n"
    assert _row(one_home).running_pid is None
    assert not psutil.pid_exists(row.running_pid)

    freed = remove_server(NAME, home=one_home)
    assert freed > 200_000_000
    assert not _row(one_home).installed
    assert [path.name for path in one_home.work.iterdir()] == []
    assert [path.name for path in one_home.data.iterdir()] == []


def test_a_killed_terminal_leaves_no_stale_row(
    one_home: Home, script: Callable[[str], subprocess.Popen[str]]
) -> None:
    terminal = script(FOREGROUND.format(home=str(one_home.root), name=NAME))
    assert terminal.stdout is not None
    terminal.stdout.readline()
    pid = _row(one_home).running_pid
    assert pid is not None
    terminal.kill()
    psutil.wait_procs([psutil.Process(pid)], timeout=30)
    assert _row(one_home).running_pid is None
    assert list(one_home.running.glob("*.json")) == []
    # The data folder is still good: its next start recovers.
    server = start_server(NAME, home=one_home)
    server.stop()
    assert wait_server(server, home=one_home) == 0


def test_the_catalog_is_listed_in_an_empty_home(new_home: Home) -> None:
    rows = {row.name: row for row in list_servers(home=new_home)}
    assert rows["mysql-5.5.9"].installed is False
    assert rows["mysql-5.5.9"].size_bytes is None
    assert rows["mariadb-debian"].version is None


def test_wrong_names(new_home: Home) -> None:
    for act in (remove_server, stop_server, shell_argv, start_server, install_server):
        with pytest.raises(ServerError, match=r"there is no server 'mariadb-10\.11\.6'") as caught:
            act("mariadb-10.11.6", home=new_home)
        assert "did you mean 'mariadb-10.11.5'?" in str(caught.value.hint)
    with pytest.raises(ServerError, match="there is no server"):
        remove_server("../..", home=new_home)
    with pytest.raises(ServerError, match="only with its checksum"):
        install_server(tarball="x.tar.gz", home=new_home)
    with pytest.raises(ServerError, match="isn't installed") as caught:
        start_server(NAME, home=new_home)
    assert caught.value.hint == f"dyno servers install {NAME}"
    assert find_home({"DYNO_HOME": str(new_home.root)}) == new_home
