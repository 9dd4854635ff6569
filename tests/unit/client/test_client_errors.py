"""What the client makes of errors; of real and of hostile servers' in tests/live."""

from __future__ import annotations

import struct

import pymysql
import pytest

from dyno.client import SqlError, reads_answers
from dyno.client.error import sql_errors


def failed(error: Exception) -> SqlError:
    given_up = []
    with pytest.raises(SqlError) as caught, sql_errors("db", lambda: given_up.append(1)):
        raise error
    assert bool(given_up) == (not isinstance(error, pymysql.MySQLError | SqlError))
    return caught.value


@pytest.mark.parametrize(
    ("error", "code", "words", "by_server"),
    [
        (pymysql.err.OperationalError(1799, "too big"), 1799, "too big", True),
        (pymysql.err.OperationalError(2013, "Lost"), 2013, "Lost", False),
        (pymysql.err.InterfaceError(0, ""), 2013, "the connection was lost", False),
        (pymysql.err.OperationalError("no code"), None, "no code", False),
        (SqlError("known", code=7), 7, "known", True),
        (pymysql.err.ProgrammingError(1064, "near \x1b[31m\n x"), 1064, "near \ufffd[31m  x", True),
    ],
)
def test_errors_keep_number_and_words(
    error: Exception, code: int | None, words: str, by_server: bool
) -> None:
    found = failed(error)
    assert (found.code, found.words, found.by_server) == (code, words, by_server)
    assert found.message == f"db: {words}"
    assert found.exit_code == 3


@pytest.mark.parametrize(
    "error",
    [
        IndexError("out of range"),
        struct.error("short"),
        UnicodeDecodeError("utf-8", b"x", 0, 1, "bad"),
        AssertionError("length"),
        RuntimeError("LOCAL INFILE"),
        pymysql.err.InternalError("Packet sequence number wrong"),
        ValueError("9" * 5000),
    ],
)
def test_bytes_that_are_not_the_protocol_are_the_servers_error(error: Exception) -> None:
    if isinstance(error, pymysql.MySQLError):
        with pytest.raises(SqlError) as caught, sql_errors("db", lambda: None):
            raise error
        found = caught.value
    else:
        found = failed(error)
    assert "can't be read" in found.message
    assert not found.by_server
    assert len(found.message) < 200


def test_an_answer_that_was_not_asked_for_is_the_servers_error() -> None:
    @reads_answers
    def number(text: str) -> int:
        return int(text)

    assert number("7") == 7
    with pytest.raises(SqlError, match="can't be read"):
        number("seven")
    with pytest.raises(KeyboardInterrupt):
        reads_answers(_interrupted)()


def _interrupted() -> None:
    raise KeyboardInterrupt
