"""What `dyno servers …` does, as plain functions; the command line only prints what they give.

A server started here lives in the foreground of one terminal; a small file in `running/` lets
another terminal list it, stop it and open a shell on it.
"""

from __future__ import annotations

import contextlib
import functools
import json
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dyno.errors import ServerError
from dyno.home import Home, find_home, locked, size_bytes, start_ticks, stop_process
from dyno.servers.account import TCP_HOST, make_accounts
from dyno.servers.catalog import ON_PATH, Entry, catalog
from dyno.servers.datadir import create_data_dir
from dyno.servers.fetch import Progress
from dyno.servers.install import find_installation, install, install_tarball, known_names
from dyno.servers.installation import Installation
from dyno.servers.options import Setting
from dyno.servers.plugins import with_plugins
from dyno.servers.server import Server, start
from dyno.servers.suites import HOST, apt_of
from dyno.spec.address import Address

WAIT_STEP_S = 1.0


@dataclass(frozen=True)
class ServerRow:
    """One line of `dyno servers list`. Sizes are of the unpacked server, None if not installed.

    `offered` is the version that Debian's packages have, by the lists that were fetched last.
    """

    name: str
    product: str
    version: str | None
    offered: str | None
    source: str
    installed: bool
    size_bytes: int | None
    running_pid: int | None
    socket: Path | None
    note: str


@dataclass(frozen=True)
class Running:
    """A server that `dyno servers start` runs; `ticks` tells its process from a later one."""

    name: str
    pid: int
    ticks: int
    socket: Path
    port: int | None


def list_servers(*, home: Home | None = None) -> list[ServerRow]:
    """Give the catalog, installed tarballs and running servers, one row a name."""
    home = home or find_home()
    running = {server.name: server for server in find_running(home)}
    names = known_names(home)
    offered = _offered(home)
    return [_row(name, home, running.get(name), offered.get(name)) for name in names]


def install_server(
    name: str | None = None,
    *,
    tarball: str | None = None,
    sha256: str | None = None,
    plugins: Sequence[str] = (),
    home: Home | None = None,
    progress: Progress = lambda _: None,
) -> Installation:
    """Install an entry of the catalog by `name`, or a `tarball` (path or URL) with its `sha256`,
    and the packages of plugins.
    """
    home = home or find_home()
    if tarball is None:
        if name is None:
            raise ServerError("which server?", hint="give a name: dyno servers list shows them")
        found = install(name, home=home, progress=progress)
    elif sha256 is None:
        raise ServerError(
            "a tarball is installed only with its checksum", hint="add --sha256 (sha256sum FILE)"
        )
    else:
        found = install_tarball(tarball, sha256=sha256, name=name, home=home, progress=progress)
    return with_plugins(found, plugins, home=home, progress=progress)


def start_server(
    name: str,
    *,
    settings: Mapping[str, Setting] | None = None,
    plugins: Sequence[str] = (),
    tcp: bool = False,
    password: str = "",
    home: Home | None = None,
) -> Server:
    """Start a server on its own lasting data folder and register it; then call `wait_server`.

    `password` is that of the account for `tcp`: "dyno", from 127.0.0.1 alone.
    """
    home = home or find_home()
    found = find_installation(name, home=home)
    installation = with_plugins(found, plugins, home=home)
    with locked(home, f"start-{name}"):
        other = _find(name, home)
        if other is not None:
            raise ServerError(
                f"{name} is already running (process {other.pid})", hint=f"dyno servers stop {name}"
            )
        data_dir = home.work / name
        if not data_dir.exists():
            create_data_dir(installation, data_dir, settings=settings, home=home)
        run_dir = home.running / f"{name}.run"
        begin = functools.partial(
            start, installation, data_dir=data_dir, run_dir=run_dir, settings=settings
        )
        if tcp:
            # Before anybody can reach a port.
            with begin() as closed:
                make_accounts(closed, password, hosts=[TCP_HOST])
        server = begin(listen=TCP_HOST if tcp else None)
        try:
            _register(server, name, home)
        except BaseException:
            server.stop()
            raise
    return server


def wait_server(server: Server, *, home: Home | None = None) -> int:
    """Wait until the server ends, by `stop` elsewhere or Ctrl-C here; gives its exit status."""
    try:
        # In steps: a signal that comes right before a wait is heeded after it.
        while server.is_alive():
            with contextlib.suppress(subprocess.TimeoutExpired):
                server.process.wait(WAIT_STEP_S)
    except KeyboardInterrupt:
        pass
    finally:
        server.stop()
        _file(server.installation.name, home or find_home()).unlink(missing_ok=True)
    return int(server.process.returncode)


def stop_server(name: str, *, timeout_s: float = 60.0, home: Home | None = None) -> bool:
    """Stop a server that `dyno servers start` runs in another terminal; True when it was clean."""
    home = home or find_home()
    clean = stop_process(_require_running(name, home).pid, timeout_s=timeout_s)
    _file(name, home).unlink(missing_ok=True)
    return clean


def running_address(name: str, *, home: Home | None = None) -> Address:
    """Give where the running server `name` listens, for its root."""
    return Address("root", None, None, _require_running(name, home or find_home()).socket)


def shell_argv(name: str, *, home: Home | None = None) -> list[str]:
    """Give the command line of a client connected to the running server `name`.

    The client is the server's own, or one on PATH. `env` sets what its libraries need.
    """
    home = home or find_home()
    running = _require_running(name, home)
    installation = find_installation(name, home=home)
    on_path = shutil.which("mariadb") or shutil.which("mysql")
    # No option files: one meant for another server may hold a user, a host or a password.
    options = ["--no-defaults", f"--socket={running.socket}", "--user=root"]
    if installation.client is not None:
        libraries = installation.environment.get("LD_LIBRARY_PATH")
        env = ["env", f"LD_LIBRARY_PATH={libraries}"] if libraries else []
        return [*env, *installation.command(installation.client), *options]
    if on_path is not None:
        return [on_path, *options]
    raise ServerError(
        f"{name} brings no client program, and there is neither mariadb nor mysql on PATH",
        hint="dyno servers install mariadb-debian and put its client on PATH; "
        f"the socket is {running.socket}",
    )


def remove_server(name: str, *, home: Home | None = None) -> int:
    """Delete an installed server, its packages and data folders; gives the bytes freed."""
    home = home or find_home()
    if name not in known_names(home):
        find_installation(name, home=home)  # Raises, with the nearest name.
    other = _find(name, home)
    if other is not None:
        raise ServerError(
            f"{name} is running (process {other.pid})", hint=f"first: dyno servers stop {name}"
        )
    freed = 0
    with locked(home, f"install-{name}"):
        folders = [home.servers / name, home.packages / name, home.work / name]
        folders += [path for path in home.data.iterdir() if path.name[:-17] == name]
        folders += [home.running / f"{name}.run", home.work / f"{name}-tmp"]
        for folder in folders:
            if folder.exists():
                freed += size_bytes(folder)
                shutil.rmtree(folder)
    return freed


def find_running(home: Home) -> list[Running]:
    """Give the registered servers that still run; files of dead ones are removed."""
    found = []
    for path in sorted(home.running.glob("*.json")):
        values = json.loads(path.read_text("utf-8"))
        server = Running(**{**values, "socket": Path(values["socket"])})
        if start_ticks(server.pid) == server.ticks:
            found.append(server)
        else:
            path.unlink(missing_ok=True)
    return found


def _find(name: str, home: Home) -> Running | None:
    return next((server for server in find_running(home) if server.name == name), None)


def _require_running(name: str, home: Home) -> Running:
    server = _find(name, home)
    if server is None:
        find_installation(name, home=home)
        raise ServerError(f"{name} isn't running", hint=f"start it: dyno servers start {name}")
    return server


def _register(server: Server, name: str, home: Home) -> None:
    values = {
        "name": name,
        "pid": server.pid,
        "ticks": start_ticks(server.pid),
        "socket": str(server.socket),
        "port": server.port,
    }
    temporary = _file(name, home).with_suffix(".new")
    temporary.write_text(json.dumps(values), encoding="utf-8")
    temporary.rename(_file(name, home))


def _file(name: str, home: Home) -> Path:
    return home.running / f"{name}.json"


def _offered(home: Home) -> dict[str, str]:
    """The upstream version of each of Debian's entries, the 11.8.9 of "1:11.8.9+ds-0+deb13u1"."""
    by_suite: dict[str, dict[str, str]] = {}
    for entry in catalog().values():
        if entry.source == "debian":
            by_suite.setdefault(entry.suite, {})[entry.name] = entry.package.split()[0]
    found = {}
    for suite, packages in by_suite.items():
        apt = apt_of(suite, home) if suite else HOST
        versions = apt.offered(list(packages.values()))
        for name, package in packages.items():
            if upstream := re.match(r"(?:\d+:)?([\d.]+)", versions.get(package, "")):
                found[name] = upstream[1]
    return found


def _source(entry: Entry) -> str:
    return f"{entry.source} {entry.suite}" if entry.suite else entry.source


def _row(name: str, home: Home, running: Running | None, offered: str | None) -> ServerRow:
    entry = catalog().get(name)
    installed: Installation | None
    try:
        installed = find_installation(name, home=home)
    except ServerError:
        installed = None
    size = None
    if installed is not None and name != ON_PATH:
        size = size_bytes(installed.home)
    return ServerRow(
        name=name,
        product=installed.product if installed else entry.product if entry else "any",
        version=installed.version if installed else entry.version if entry else None,
        offered=offered,
        source=_source(entry) if entry else "tarball",
        installed=installed is not None,
        size_bytes=size,
        running_pid=running.pid if running else None,
        socket=running.socket if running else None,
        note=entry.note if entry else "",
    )
