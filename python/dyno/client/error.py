"""What can go wrong between a statement and the end of its answer."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pymysql

from dyno.errors import ServerError
from dyno.spec.printable import printable

HINT = "look at the server: its error log, and what listens at this address"
# Errors with these numbers are the client's own: the server said nothing.
_OF_CLIENTS = range(2000, 3000)
_LOST, _MALFORMED = 2013, 2027
_SEEN_MOST = 100
# What reading an answer can raise if the answer breaks the protocol or isn't what was asked for.
UNREADABLE = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
    struct.error,
)


class SqlError(ServerError):
    """A statement failed, or its connection did.

    `code` is the server's error number, or the client's own (2000 to 2999); None where there is
    none.
    """

    def __init__(self, words: str, *, code: int | None = None, hint: str = HINT) -> None:
        self._words = printable(words)
        self.code = code
        super().__init__(self._words, hint=hint)

    @property
    def words(self) -> str:
        """The message, from the server or from the client."""
        return self._words

    @property
    def by_server(self) -> bool:
        """Whether the server reported it, rather than failing to answer."""
        return self.code is not None and self.code not in _OF_CLIENTS

    def at(self, place: str) -> SqlError:
        """The same error, with the server's name in its message."""
        self.message = f"{place}: {self._words}"
        return self


def unreadable(error: Exception) -> SqlError:
    """For an answer that breaks the protocol, or isn't what was asked for."""
    seen = f"{type(error).__name__}: {error}".removesuffix(": ")
    if len(seen) > _SEEN_MOST:
        seen = f"{seen[:_SEEN_MOST]}…"
    return SqlError(f"the server's answer can't be read ({seen})", code=_MALFORMED)


@contextmanager
def sql_errors(place: str, give_up: Callable[[], None]) -> Iterator[None]:
    """Turns what pymysql raises into a SqlError of this place; `give_up` closes a connection whose
    state is no longer known.
    """
    try:
        yield
    except SqlError as error:
        raise error.at(place) from error.__cause__
    except pymysql.MySQLError as error:
        raise _translated(error).at(place) from error
    except UNREADABLE as error:
        give_up()
        raise unreadable(error).at(place) from error


def _translated(error: pymysql.MySQLError) -> SqlError:
    """With the error's number and message; lost connections sometimes have neither."""
    if isinstance(error, pymysql.InternalError) and len(error.args) == 1:
        return unreadable(error)
    code, words = None, ""
    if len(error.args) > 1 and isinstance(error.args[0], int):
        code = error.args[0] or _LOST
    if error.args and isinstance(error.args[-1], str):
        words = error.args[-1]
    return SqlError(words or "the connection was lost", code=code)
