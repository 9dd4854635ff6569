"""Who may log in over TCP to a server of `dyno servers start --tcp`."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from contextlib import closing
from pathlib import Path

import psutil
import pytest
from thinned import oldest_and_newest

from dyno.client import SqlError, connect
from dyno.home import Home
from dyno.servers import install, start_server, wait_server
from dyno.spec.address import Address

NAMES = ["mysql-5.5.9", "mysql-5.6.24", "mariadb-10.1.8", "mariadb-10.11.5", "mariadb-11.4.5"]


def logs_in(port: int, user: str, password: str) -> bool:
    address = Address.parse(f"mysql://{user}@127.0.0.1:{port}/")
    try:
        session = connect(address, password, answer_s=60)
    except SqlError as error:
        if "denied" not in error.words:
            raise
        return False
    with closing(session):
        session.run("CREATE DATABASE somewhere")
        session.run("DROP DATABASE somewhere")
    return True


@pytest.mark.parametrize("name", oldest_and_newest(NAMES))
def test_one_account_and_its_password(name: str, home: Home, new_home: Home) -> None:
    (new_home.servers / name).symlink_to(install(name, home=home).home)
    # The second time the account is there; the third it has no password.
    for password in ("first one", "it's %s", ""):
        server = start_server(name, tcp=True, password=password, home=new_home)
        try:
            port = server.port or 0
            found = [one for one in ("first one", "it's %s", "") if logs_in(port, "dyno", one)]
            assert found == [password]
            assert not logs_in(port, "root", "")
            assert not logs_in(port, "somebody", "")
        finally:
            server.stop()
        assert wait_server(server, home=new_home) == 0


def test_the_password_is_printed_once_and_lies_nowhere(home: Home, new_home: Home) -> None:
    name = "mariadb-10.11.5"
    shutil.copytree(install(name, home=home).home, new_home.servers / name, symlinks=True)
    process = subprocess.Popen(
        ["dyno", "servers", "start", name, "--tcp"],
        env=os.environ | {"DYNO_HOME": str(new_home.root)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.readline()
    address, _, password = process.stdout.readline().strip().partition(", password ")
    try:
        assert len(password) == 24
        port = int(address.removeprefix("address mysql://dyno@127.0.0.1:").rstrip("/"))
        assert logs_in(port, "dyno", password)
        family = [psutil.Process(process.pid), *psutil.Process(process.pid).children()]
        for one in family:
            assert password not in " ".join(one.cmdline())
            assert password not in " ".join(one.environ().values())
    finally:
        process.send_signal(signal.SIGINT)
        said = "".join(process.communicate(timeout=180))
    assert password not in said
    written = [*new_home.running.rglob("*"), *(new_home.work / name).glob("*.err")]
    for path in written:
        assert not path.is_file() or password.encode() not in Path(path).read_bytes()


def test_no_password_goes_with_tcp() -> None:
    done = subprocess.run(
        ["dyno", "servers", "start", "mariadb-10.11.5", "--no-password"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "--no-password goes with --tcp" in done.stderr
