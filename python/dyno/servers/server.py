"""A managed server: started on a data folder, waited for, asked, stopped.

Starting is the only way to configure one. Nothing here measures; the socket is private.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket as sockets
import subprocess
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from dyno.client import Connection, SqlError, connect, reads_answers
from dyno.cpus import CpuSet
from dyno.errors import ServerError
from dyno.home import User, give_empty, remove_tree, server_user
from dyno.launch import launch
from dyno.servers.config import option_file
from dyno.servers.failure import refuse_without_plugins, silent_error, start_error
from dyno.servers.installation import Installation
from dyno.servers.known import for_server
from dyno.servers.options import Setting
from dyno.servers.private import allows, make_socket_dir, require_reachable
from dyno.spec.address import Address

# How long a server may take until it answers, unless it is said.
START_S = 120.0
# How long an answer may take where the server works for it: reads tables whole, drops a schema.
WORK_S = 6 * 3600.0
_POLL_S = 0.02


class ReadableServer(Protocol):
    """What can be asked of any server, managed or external."""

    @property
    def version(self) -> str:
        """The version's three numbers."""

    @property
    def product(self) -> str:
        """`mysql` or `mariadb`."""

    @property
    def socket(self) -> Path | None:
        """The Unix socket, if there is one."""

    @property
    def port(self) -> int | None:
        """The TCP port, if there is one."""

    def admin(self, database: str | None = None, *, answer_s: float | None = WORK_S) -> Connection:
        """Open a connection, where no answer may take longer; autocommit on; yours to close."""

    def variables(self) -> dict[str, str]:
        """Read SHOW GLOBAL VARIABLES; names in lower case."""

    def is_alive(self) -> bool:
        """Tell whether the server is there."""


@dataclass(frozen=True)
class Server:
    """A running server that Dyno started and will stop. A context manager: leaving it stops it.

    `started_s` is how long it took from the start of the process to the first answer.
    """

    installation: Installation
    process: subprocess.Popen[bytes] = field(repr=False)
    socket: Path
    port: int | None
    data_dir: Path
    tmpdir: Path
    error_log: Path
    settings: Mapping[str, Setting]
    started_s: float
    scratch: tuple[Path, ...] = field(repr=False, default=())

    @property
    def pid(self) -> int:
        """The process id of mysqld/mariadbd itself."""
        return self.process.pid

    @property
    def product(self) -> str:
        """`mysql` or `mariadb`."""
        return self.installation.product

    @property
    def version(self) -> str:
        """The version's three numbers, as the binary says them."""
        return self.installation.version

    def admin(self, database: str | None = None, *, answer_s: float | None = WORK_S) -> Connection:
        """Open a connection as root over the private socket; autocommit on; yours to close."""
        try:
            return _connect(self.installation.name, self.socket, database, answer_s)
        except SqlError as error:
            raise ServerError(
                f"{self.installation.name} doesn't answer: {error.words}",
                hint=f"look at its error log, {self.error_log}",
            ) from error

    def variables(self) -> dict[str, str]:
        """Read SHOW GLOBAL VARIABLES; names in lower case."""
        with contextlib.closing(self.admin()) as connection:
            return read_variables(connection)

    def is_alive(self) -> bool:
        """Tell whether the process still runs."""
        return self.process.poll() is None

    def stop(self, *, timeout_s: float = 60.0) -> bool:
        """Shut down cleanly (SIGTERM), with SIGKILL after `timeout_s` and a note in the error log.

        True when the server ended by itself with status 0; a second call gives the same again.
        """
        if self.is_alive():
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(timeout_s)
            except subprocess.TimeoutExpired:
                with self.error_log.open("a", encoding="utf-8") as log:
                    log.write(f"dyno: no clean shutdown within {timeout_s:g} s, so killed\n")
        self.kill()
        return self.process.returncode == 0

    def kill(self) -> None:
        """End it at once (SIGKILL), as a crash would; its private folder goes with it."""
        self.process.kill()
        self.process.wait()
        _remove(self.scratch)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


def start(
    installation: Installation,
    *,
    data_dir: Path,
    run_dir: Path,
    settings: Mapping[str, Setting] | None = None,
    tmpdir: Path | None = None,
    listen: str | None = None,
    timeout_s: float = START_S,
    cpus: CpuSet | None = None,
    certificate: Path | None = None,
) -> Server:
    """Start a server on `data_dir` (see create_data_dir) and wait until it answers.

    `run_dir` gets `server.err` (appended to) and `my.cnf`; only Dyno writes there. `tmpdir`
    defaults to a folder beside `data_dir`, so temporary tables lie on the same disk as tables.
    `listen`: an address of this host, on which it gets a free port as well. `cpus`: where all of
    its threads run. `certificate`: a file with its certificate and key (PEM), of which the server
    gets a copy, for those who ask for TLS. Raises ServerError naming the setting at fault, or with
    the log's error lines.
    """
    given = for_server(settings, installation)
    user = server_user()
    data_dir, run_dir = data_dir.absolute(), run_dir.absolute()
    require_reachable(installation.mysqld.parent, user)
    require_writable(data_dir, user)
    with contextlib.ExitStack() as undo:
        private = make_socket_dir(user)
        scratch = [private.path]
        undo.callback(_remove, scratch)
        if tmpdir is None:
            tmpdir = data_dir.with_name(f"{data_dir.name}-tmp")
            scratch.append(tmpdir)
            give_empty(tmpdir, user)
        require_writable(tmpdir, user)
        socket, port = private.socket, free_port(listen) if listen else None
        text = option_file(
            installation,
            data_dir=data_dir,
            tmpdir=tmpdir.absolute(),
            socket=socket,
            listen=listen,
            port=port,
            certificate=private.hand_over(certificate, user) if certificate else None,
            settings=given,
        )
        run_dir.mkdir(parents=True, exist_ok=True)
        error_log = run_dir / "server.err"
        log_begins = error_log.stat().st_size if error_log.exists() else 0
        begun = time.monotonic()
        server = Server(
            installation=installation,
            process=_launch(installation, text, private.path, run_dir, user, cpus),
            socket=socket,
            port=port,
            data_dir=data_dir,
            tmpdir=tmpdir,
            error_log=error_log,
            settings=given,
            started_s=0.0,
            scratch=tuple(scratch),
        )
        undo.callback(server.kill)
        _wait_until_ready(server, timeout_s, log_begins)
        refuse_without_plugins(installation, error_log, since=log_begins)
        undo.pop_all()
        return replace(server, started_s=time.monotonic() - begun)


def require_writable(folder: Path, user: User | None) -> None:
    """Raise ServerError unless the server's user can reach a folder and write in it."""
    if not folder.is_dir():
        raise ServerError(
            f"there is no folder {folder} for the server", hint="make it with create_data_dir"
        )
    require_reachable(folder, user)
    writable = os.access(folder, os.W_OK | os.X_OK)
    if user is not None:
        writable = writable and allows(folder, user, 0o3)
    if not writable:
        name = "you" if user is None else repr(user.name)
        raise ServerError(
            f"the server runs as {name}, who can't write in {folder}",
            hint="give the folder to that user, or choose another one",
        )


@reads_answers
def read_variables(connection: Connection) -> dict[str, str]:
    """Read SHOW GLOBAL VARIABLES; names in lower case."""
    found = connection.rows("SHOW GLOBAL VARIABLES")
    return {str(name).lower(): str(value) for name, value in found}


def _launch(
    installation: Installation,
    text: str,
    private: Path,
    run_dir: Path,
    user: User | None,
    cpus: CpuSet | None,
) -> subprocess.Popen[bytes]:
    """Run the binary; its option file lies where its user can read it and write nothing, a copy in
    `run_dir`.
    """
    config = private / "my.cnf"
    for path in (config, run_dir / "my.cnf"):
        try:
            path.write_text(text, encoding="utf-8")
            path.chmod(0o644)
        except OSError as error:
            raise ServerError(
                f"{installation.name} didn't start: {path} can't be written: {error.strerror}",
                hint="look at the free space and the permissions there",
            ) from error
    with (run_dir / "server.err").open("ab") as log:
        return launch(
            [*installation.command(), f"--defaults-file={config}"],
            env=installation.server_environment,
            user=user,
            cpus=cpus,
            stdout=log,
            stderr=log,
        )


def _wait_until_ready(server: Server, timeout_s: float, log_begins: int) -> None:
    """Wait for the first answer; the end of the process or of patience is an error."""
    deadline = time.monotonic() + timeout_s
    while server.is_alive():
        if server.socket.exists():
            with contextlib.suppress(SqlError):
                _connect(server.installation.name, server.socket, None, WORK_S).close()
                return
        if time.monotonic() > deadline:
            raise silent_error(server.installation, server.error_log, timeout_s)
        time.sleep(_POLL_S)
    raise start_error(
        server.installation,
        server.error_log,
        server.settings,
        data_dir=server.data_dir,
        since=log_begins,
    )


def _connect(name: str, socket: Path, database: str | None, answer_s: float | None) -> Connection:
    address = Address("root", None, None, socket)
    return connect(address, database=database, answer_s=answer_s, place=name)


def _remove(folders: Iterable[Path]) -> None:
    for folder in folders:
        remove_tree(folder)


def free_port(address: str) -> int:
    """Ask the kernel for a port of an address of this host that nobody uses now. Raises ServerError
    for an address that this host doesn't have.
    """
    family = sockets.AF_INET6 if ":" in address else sockets.AF_INET
    with sockets.socket(family) as probe:
        try:
            probe.bind((address, 0))
        except OSError as error:
            raise ServerError(
                f"no server can listen on {address}: {error.strerror}",
                hint="give an address of this host; ip address lists them",
            ) from error
        return int(probe.getsockname()[1])
