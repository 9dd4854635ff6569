"""A server that someone else runs: reached by its address, read and used, never managed.

Its password comes from the environment, an option file or a prompt, and is in no repr or message.
"""

from __future__ import annotations

import configparser
import contextlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from dyno.client import HINT, Connection, SqlError, connect, reads_answers
from dyno.errors import ServerError
from dyno.passwords import from_environment
from dyno.servers.installation import Product
from dyno.servers.server import read_variables
from dyno.spec.address import Address
from dyno.spec.bounded import read_bounded

# How long an answer may take where the server has nothing to work for.
ASK_S = 10.0
OPTION_FILE_MOST_BYTES = 1024**2


@dataclass(frozen=True)
class ExternalServer:
    """A server that someone else runs. `password` is for connecting only; keep it out of files."""

    address: Address
    product: Product
    version: str
    password: str = field(repr=False)

    @property
    def socket(self) -> Path | None:
        """The socket of the address, if it has one."""
        return self.address.socket

    @property
    def port(self) -> int | None:
        """The port of the address, if it has one."""
        return self.address.port

    def admin(self, database: str | None = None, *, answer_s: float | None = ASK_S) -> Connection:
        """Open a connection as the address's user; autocommit on; yours to close."""
        return _connect(self.address, self.password, database, answer_s)

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


@dataclass(frozen=True)
class Login:
    """Where a password comes from: the environment variable `variable`, else [client] of an option
    file, else a question to the user (asked with a text to show), else it is empty.
    """

    variable: str = "DYNO_PASSWORD"
    option_file: Path | None = None
    prompt: Callable[[str], str] | None = None

    def password(self, address: Address) -> str:
        """The password at an address. Raises ServerError for an option file that can't be read."""
        found = from_environment(self.variable)
        if found is None and self.option_file is not None:
            found = read_option_file(self.option_file)
        if found is None and self.prompt is not None:
            found = self.prompt(f"Password of {address}: ")
        return found or ""


# No variable has this name: root of a server of ours has no password.
NO_PASSWORD = Login(variable="")


def connect_external(address: Address, *, login: Login | None = None) -> ExternalServer:
    """Reach a server at an address. Raises ServerError."""
    password = (login or Login()).password(address)
    with contextlib.closing(_connect(address, password, None, ASK_S)) as connection:
        product, version = _read_version(connection)
    return ExternalServer(address, product, version, password)


@reads_answers
def _read_version(connection: Connection) -> tuple[Product, str]:
    (text,) = connection.row("SELECT version()")
    product: Product = "mariadb" if "mariadb" in str(text).lower() else "mysql"
    numbers = re.search(r"\d{1,3}\.\d{1,3}\.\d{1,3}", str(text))
    if numbers is None:
        raise ValueError(f"no version in {str(text)[:40]!r}")
    return product, numbers.group()


def read_option_file(path: Path) -> str | None:
    """Give the password of [client] in an option file, or None where it has none."""
    parser = configparser.ConfigParser(
        allow_no_value=True, interpolation=None, strict=False, comment_prefixes=("#", ";", "!")
    )
    try:
        parser.read_string(read_bounded(path, most_bytes=OPTION_FILE_MOST_BYTES).decode())
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
    address: Address, password: str, database: str | None, answer_s: float | None
) -> Connection:
    try:
        return connect(address, password, database=database, answer_s=answer_s)
    except SqlError as error:
        hint = (
            "check the address, that the server runs, and the password "
            "(environment variable DYNO_PASSWORD, or an option file)"
        )
        raise ServerError(
            f"can't reach {address}: {error.words}",
            hint=hint if error.hint == HINT else error.hint,
        ) from error
