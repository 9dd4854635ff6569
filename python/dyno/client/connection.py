"""A session with a server: pymysql's, with limits, careful logins, and one kind of error."""

from __future__ import annotations

import functools
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import pymysql
from pymysql.cursors import Cursor, SSCursor

from dyno.client.error import UNREADABLE, SqlError, sql_errors, unreadable
from dyno.client.guard import Guard
from dyno.client.plugins import Plugins
from dyno.client.tls import encryption
from dyno.spec.address import Address

LOGIN_S = 10.0
# No plugin has this name, which pymysql doesn't send either.
_NONE = "none"
Row = tuple[Any, ...]
P = ParamSpec("P")
T = TypeVar("T")


# Generic only for the type checker.
if TYPE_CHECKING:
    _Pymysql = pymysql.Connection[Cursor]
else:
    _Pymysql = pymysql.Connection


class Connection(_Pymysql):
    """One session; autocommit on. Closing it twice does no harm. Use `connect` to make one.

    What fails raises SqlError, whose message begins with `place`.
    """

    def __init__(self, address: Address, password: str, database: str | None, place: str) -> None:
        self.place = place
        self.secret = password.encode()
        self.is_protected = address.socket is not None or address.tls.startswith("verify")
        self.guard: Guard | None = None
        context = encryption(address)
        super().__init__(
            user=address.user,
            host=address.host,
            port=address.port or 0,
            database=database,
            # The UTF-8 that even the oldest servers know.
            charset="utf8",
            autocommit=True,
            auth_plugin_map=Plugins(),  # type: ignore[arg-type]
            ssl=context,
            ssl_disabled=context is None,
            defer_connect=True,
        )

    def rows(self, sql: str, *values: object) -> list[Row]:
        """All rows of a small query; `values` replace its %s."""
        with self.cursor() as cursor:
            cursor.execute(sql, values or None)
            return list(cursor.fetchall())

    def row(self, sql: str, *values: object) -> Row:
        """The first row of a query. Raises SqlError where there is none."""
        found = self.rows(sql, *values)
        if not found:
            raise SqlError("the server answered with no row where there must be one").at(self.place)
        return found[0]

    def run(self, sql: str, *values: object) -> None:
        """Run a statement and ignore its rows."""
        self.rows(sql, *values)

    @contextmanager
    def streamed(self, sql: str) -> Iterator[tuple[list[str], Iterator[Row]]]:
        """Run a statement that may have many rows: its columns' names, and one row at a time."""
        cursor = self.cursor(SSCursor)
        with self._errors():
            cursor.execute(sql)
        names = [str(column[0]) for column in cursor.description or ()]
        try:
            yield names, self._each(cursor)
        except BaseException:
            # Nobody wants the rest. pymysql would read it when the result is collected, perhaps
            # from a connection that is closed by then.
            result: Any = getattr(self, "_result", None)
            if result is not None:
                result.unbuffered_active = False
            raise

    def _each(self, cursor: SSCursor) -> Iterator[Row]:
        while True:
            assert self.guard is not None
            self.guard.begin_answer()
            with self._errors():
                row = cursor.fetchone()
            if row is None:
                return
            yield row

    def query(self, sql: Any, unbuffered: bool = False) -> int:
        """As in pymysql; its cursors call this."""
        with self._errors():
            affected: int = super().query(sql, unbuffered)
            return affected

    def next_result(self, unbuffered: bool = False) -> int:
        """As in pymysql; its cursors call this."""
        with self._errors():
            affected: int = super().next_result(unbuffered)
            return affected

    def commit(self) -> None:
        """Commit the open transaction."""
        with self._errors():
            super().commit()

    def close(self) -> None:
        """Send COM_QUIT if the connection is alive, and close."""
        if self.open:
            with self._errors():
                super().close()

    def log_in(self, sock: socket.socket, *, login_s: float, answer_s: float | None) -> None:
        """Begin the session over a connected socket."""
        guard = Guard(sock, login_s)
        with self._errors():
            self.connect(guard)  # type: ignore[arg-type]
        guard.logged_in(answer_s)
        self.guard = guard

    def _get_server_information(self) -> None:
        """As pymysql's, which would otherwise answer some plugins of a greeting by itself.

        The plugin that a greeting names is only a proposal: if the client names none, the server
        asks for the account's own plugin next, and `Plugins` answers.
        """
        super()._get_server_information()  # type: ignore[misc]
        self._auth_plugin_name = _NONE

    def _errors(self) -> Any:
        return sql_errors(self.place, self._force_close)  # type: ignore[attr-defined]


def connect(
    address: Address,
    password: str = "",
    *,
    database: str | None = None,
    login_s: float = LOGIN_S,
    answer_s: float | None,
    place: str | None = None,
) -> Connection:
    """Connect and log in within `login_s`. An answer may take `answer_s`; None: no limit. `place`:
    how errors name the server, if not by its address.

    Raises SqlError, ServerError for a CA file that can't be read.
    """
    connection = Connection(address, password, database, place or str(address))
    try:
        sock = _dial(address, login_s)
    except OSError as error:
        words = f"no connection: {error.strerror or error}"
        raise SqlError(words).at(connection.place) from error
    try:
        connection.log_in(sock, login_s=login_s, answer_s=answer_s)
    except BaseException:
        sock.close()
        raise
    return connection


def _dial(address: Address, login_s: float) -> socket.socket:
    if address.socket is None:
        sock = socket.create_connection((address.host or "", address.port or 0), login_s)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        return sock
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    sock.settimeout(login_s)
    try:
        sock.connect(str(address.socket))
    except BaseException:
        sock.close()
        raise
    return sock


def reads_answers(read: Callable[P, T]) -> Callable[P, T]:
    """For a function that parses a server's answers: an unexpected answer, such as a word in place
    of a number, is the server's error and not a bug in Dyno.
    """

    @functools.wraps(read)
    def reading(*arguments: P.args, **more: P.kwargs) -> T:
        try:
            return read(*arguments, **more)
        except UNREADABLE as error:
            places = [given.place for given in arguments if isinstance(given, Connection)]
            failed = unreadable(error)
            raise failed.at(places[0]) if places else failed from error

    return reading
