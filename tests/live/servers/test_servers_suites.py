"""Servers of another suite of Debian than the host's: their own loader, their sums, no root."""

from __future__ import annotations

import json
import os
import platform
import shutil
import traceback
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from dyno.errors import ServerError
from dyno.home import Home, find_home, locked
from dyno.servers import create_data_dir, install, start
from dyno.servers.catalog import Entry
from dyno.servers.install import _install_entry
from dyno.servers.suites import MIRROR, mirror

NAME = "mysql-sid"


def test_the_server_runs_on_the_libraries_of_its_suite(home: Home, work: Path) -> None:
    installation = install(NAME, home=home)
    assert installation.loader is not None, "this host's libraries are as new as those of sid"
    create_data_dir(installation, work / "data", home=home)
    with start(installation, data_dir=work / "data", run_dir=work / "run") as server:
        assert psutil.Process(server.pid).name() == installation.mysqld.name
        maps = Path(f"/proc/{server.pid}/maps").read_text()
        files = {line.split()[-1] for line in maps.splitlines() if ".so" in line}
    assert files
    assert all(file.startswith(f"{installation.home}/") for file in files), files
    assert "libc.so.6" in {Path(file).name for file in files}


def test_what_was_fetched_is_on_record(home: Home) -> None:
    installation = install(NAME, home=home)
    assert installation.source == "debian sid mysql-server-core"
    sums = dict(installation.packages)
    assert any(name.startswith("mysql-server-core_") for name in sums)
    assert any(name.startswith("libc6_") for name in sums)
    assert all(len(digest) == 64 for digest in sums.values())


def test_a_package_of_the_cache_that_was_changed_is_refused(home: Home, new_home: Home) -> None:
    install(NAME, home=home)
    shutil.copytree(home.packages / NAME, new_home.packages / NAME)
    # Its lists take longer to fetch again than its packages.
    lists = Path("apt", "sid", "lists")
    with locked(home, "apt-sid"):
        shutil.copytree(home.root / lists, new_home.root / lists)
    package = next((new_home.packages / NAME).glob("libc6_*.deb"))
    with package.open("r+b") as file:
        file.seek(1000)
        file.write(b"x")
    with pytest.raises(ServerError, match=r"libc6_\S+ has the wrong checksum"):
        install(NAME, home=new_home)
    assert list(new_home.servers.iterdir()) == []
    # It is deleted, so all of them are fetched again, as the suite has them by now.
    assert not package.exists()
    assert install(NAME, home=new_home).product == "mysql"


def test_a_host_as_new_as_the_suite_needs_no_loader(new_home: Home) -> None:
    suite = platform.freedesktop_os_release()["VERSION_CODENAME"]
    packages = "mariadb-server mariadb-server-core mariadb-client-core"
    entry = Entry("own-suite", "mariadb", None, "debian", packages, None, suite=suite)
    installation = _install_entry(entry, new_home, lambda _: None)
    assert installation.loader is None
    assert not (installation.home / "suite").exists()
    assert installation.command() == [str(installation.mysqld)]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_without_root_all_of_it_is_the_users_own(work: Path) -> None:
    folder = work / "theirs"
    folder.mkdir()
    os.chown(folder, 65534, 65534)

    def theirs() -> None:
        os.setgroups([])
        os.setresgid(65534, 65534, 65534)
        os.setresuid(65534, 65534, 65534)
        os.environ["HOME"] = str(folder)
        home = find_home({"DYNO_HOME": str(folder / "home")})
        install("mariadb-trixie", home=home)

    _in_a_child(theirs, folder / "said.txt")
    [file] = (folder / "home/servers").glob("*/installation.json")
    found = json.loads(file.read_text())
    # Its version was asked of the program itself.
    assert (found["product"], found["name"]) == ("mariadb", "mariadb-trixie")
    assert file.stat().st_uid == 65534


def _in_a_child(work: Callable[[], None], said: Path) -> None:
    """Forked, since another user can't enter the folder of this Python."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
        except BaseException:
            said.write_text(traceback.format_exc())
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0, said.read_text() if said.exists() else status


def test_a_mirror_is_the_hosts_or_as_the_user_says() -> None:
    assert mirror({MIRROR: "http://mirror.example/debian"}) == "http://mirror.example/debian"
    assert mirror({}).rstrip("/").endswith("/debian")
