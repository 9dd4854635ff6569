"""A server that someone else runs: reached by its address, read and used, never managed.

Its password comes from the environment, an option file or a prompt, and is in no repr or message.
"""

from __future__ import annotations

import configparser
import contextlib
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn
from urllib.parse import parse_qs, unquote, urlsplit

import pymysql

from dyno.errors import ServerError
from dyno.servers.installation import Product
from dyno.servers.server import AdminConnection, read_variables

_FORMS = "mysql://user@host:port/ or mysql://user@/?socket=/path"
_CONNECT_TIMEOUT_S = 10


@dataclass(frozen=True)
class Address:
    """Where somebody else's server listens: host and port, or a socket. Never a password."""

    user: str
    host: str | None
    port: int | None
    socket: Path | None

    @classmethod
    def parse(cls, text: str) -> Address:
        """Read mysql://user@host:port/ or mysql://user@/?socket=/path; a password is refused."""
        try:
            parts = urlsplit(text)
            port, password = parts.port, parts.password
        except ValueError as error:
            raise ServerError(f"not a server's address: {error}", hint=f"write {_FORMS}") from error
        if password is not None:
            raise ServerError(
                "an address must not hold a password: it would end up in files and process lists",
                hint="leave it out and set the environment variable DYNO_PASSWORD, "
                "or give an option file",
            )
        query = parse_qs(parts.query)
        socket = query.pop("socket", [None])[0]
        one_place = bool(parts.hostname) != bool(socket)
        plain = parts.scheme == "mysql" and parts.path in ("", "/") and not query
        if not (parts.username and one_place and plain) or (socket and port):
            raise ServerError(f"not a server's address: {text}", hint=f"write {_FORMS}")
        if socket:
            return cls(unquote(parts.username), None, None, Path(socket))
        return cls(unquote(parts.username), parts.hostname, port or 3306, None)

    def __str__(self) -> str:
        """Give the address as it is written."""
        if self.socket is not None:
            return f"mysql://{self.user}@/?socket={self.socket}"
        host = f"[{self.host}]" if ":" in (self.host or "") else self.host
        return f"mysql://{self.user}@{host}:{self.port}/"


@dataclass(frozen=True)
class ExternalServer:
    """A server that someone else runs. `password` is for connecting only; keep it out of files.

    `read_timeout_s`: how long its connections wait for an answer; None: for good.
    """

    address: Address
    product: Product
    version: str
    password: str = field(repr=False)
    read_timeout_s: float | None = None

    @property
    def socket(self) -> Path | None:
        """The socket of the address, if it has one."""
        return self.address.socket

    @property
    def port(self) -> int | None:
        """The port of the address, if it has one."""
        return self.address.port

    def admin(self, database: str | None = None) -> AdminConnection:
        """Open a connection as the address's user; autocommit on; yours to close."""
        return _connect(self.address, self.password, database, self.read_timeout_s)

    def variables(self) -> dict[str, str]:
        """Read SHOW GLOBAL VARIABLES; names in lower case."""
        with contextlib.closing(self.admin()) as connection:
            return read_variables(connection)

    def is_alive(self) -> bool:
        """Tell whether the server answers."""
        try:
            self.admin().close()
        except ServerError:
            return False
        return True

    def start(self) -> NoReturn:
        """Refused: it isn't Dyno's."""
        self._refuse("start")

    def stop(self) -> NoReturn:
        """Refused: it isn't Dyno's."""
        self._refuse("stop")

    def restart(self) -> NoReturn:
        """Refused: it isn't Dyno's."""
        self._refuse("restart")

    def configure(self) -> NoReturn:
        """Refused: it isn't Dyno's."""
        self._refuse("change the settings of")

    def _refuse(self, verb: str) -> NoReturn:
        raise ServerError(
            f"Dyno doesn't {verb} {self.address}, which someone else runs",
            hint="use a server of the catalog for this (dyno servers list), "
            "or leave out what needs it",
        )


def connect_external(
    address: Address,
    *,
    password_env: str = "DYNO_PASSWORD",
    option_file: Path | None = None,
    prompt: Callable[[str], str] | None = None,
    read_timeout_s: float | None = None,
) -> ExternalServer:
    """Reach a server at an address. `read_timeout_s`: how long to wait for each of its answers.

    The password is the value of `password_env`, else `password` of [client] in `option_file`, else
    what `prompt` gives (it is asked with a text to show), else empty.
    """
    password = os.environ.get(password_env)
    if password is None and option_file is not None:
        password = read_option_file(option_file)
    if password is None and prompt is not None:
        password = prompt(f"Password of {address}: ")
    password = password or ""
    connection = _connect(address, password, None, read_timeout_s)
    with contextlib.closing(connection), connection.cursor() as cursor:
        cursor.execute("SELECT version()")
        row = cursor.fetchone()
    text = str(row[0]) if row else ""
    product: Product = "mariadb" if "mariadb" in text.lower() else "mysql"
    numbers = re.search(r"\d+\.\d+\.\d+", text)
    version = numbers.group() if numbers else text
    return ExternalServer(address, product, version, password, read_timeout_s)


def read_option_file(path: Path) -> str | None:
    """Give the password of [client] in an option file, or None where it has none."""
    parser = configparser.ConfigParser(
        allow_no_value=True, interpolation=None, strict=False, comment_prefixes=("#", ";", "!")
    )
    try:
        parser.read_string(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, configparser.Error) as error:
        said = error.strerror if isinstance(error, OSError) else type(error).__name__
        raise ServerError(
            f"can't read the option file {path}: {said}",
            hint="give a file with a section [client] and a line password=…",
        ) from None  # The parser's own message may quote the line with the password.
    value = parser.get("client", "password", fallback=None)
    if value and value[0] == value[-1] and value[0] in "\"'" and len(value) > 1:
        return value[1:-1]
    return value


def _connect(
    address: Address, password: str, database: str | None, read_timeout_s: float | None
) -> AdminConnection:
    try:
        return pymysql.connect(
            unix_socket=None if address.socket is None else str(address.socket),
            host=address.host,
            port=address.port or 0,
            user=address.user,
            password=password,
            database=database,
            charset="utf8",
            autocommit=True,
            connect_timeout=_CONNECT_TIMEOUT_S,
            read_timeout=read_timeout_s,
        )
    except (pymysql.MySQLError, RuntimeError) as error:
        raise ServerError(
            f"can't reach {address}: {error.args[-1]}",
            hint="check the address, that the server runs, and the password "
            "(environment variable DYNO_PASSWORD, or an option file)",
        ) from error
