"""A session with its own thread: its statement may wait while another session goes on."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as Waiting
from typing import Any, TypeVar

from dyno.client import Connection, SqlError

T = TypeVar("T")
Rows = list[tuple[Any, ...]]

# A statement that hasn't ended after this long is waiting for the other session.
WAITS_S = 1.0
# A wait that nobody ends becomes an error instead of hanging the test.
LOCK_WAIT_S = 15
# Deadlock; a row newer than the snapshot: the whole transaction is restarted.
_AGAIN = (1213, 1020)
_TRIES = 5


class Session:
    """Runs transactions on one connection, in a thread. `close` ends both."""

    def __init__(self, connection: Connection, isolation: str) -> None:
        self._connection = connection
        self._thread = ThreadPoolExecutor(1)
        level = isolation.replace("_", " ").upper()
        self.sql("SET SESSION sql_mode = ''")
        self.sql(f"SET SESSION TRANSACTION ISOLATION LEVEL {level}")
        for engine in ("innodb", "rocksdb"):
            with contextlib.suppress(SqlError):  # A server without the engine lacks it.
                self.sql(f"SET SESSION {engine}_lock_wait_timeout = {LOCK_WAIT_S}")
        self.sql("SET SESSION autocommit = 0")

    def sql(self, text: str, *values: object) -> Rows:
        """Run one statement in this thread; returns its rows."""
        return self._connection.rows(text, *values)

    def begin(self, transaction: Callable[[Session], T]) -> Future[T]:
        """Start a transaction without ending it; its result is there once it has all locks."""
        return self._thread.submit(self._begin_and_run, transaction)

    def hold(self, transaction: Callable[[Session], T]) -> T:
        """Run a transaction up to its end, which is still to come."""
        return self.begin(transaction).result(2 * LOCK_WAIT_S)

    def run_to_commit(self, transaction: Callable[[Session], T]) -> T:
        """Run a transaction and commit it."""
        found = self.hold(transaction)
        self.commit()
        return found

    def start(self, transaction: Callable[[Session], T]) -> Future[T]:
        """Start a whole transaction, which may have to wait for another session."""

        def committed(session: Session) -> T:
            found = transaction(session)
            session.sql("COMMIT")
            return found

        return self.begin(committed)

    def commit(self) -> None:
        """Commit the open transaction."""
        self.sql("COMMIT")

    def rollback(self) -> None:
        """Roll back the open transaction."""
        self.sql("ROLLBACK")

    def close(self) -> None:
        """End the thread, then close the connection and release its locks."""
        self._thread.shutdown(cancel_futures=True)
        with contextlib.suppress(SqlError):
            self._connection.close()

    def _begin_and_run(self, transaction: Callable[[Session], T]) -> T:
        for _ in range(_TRIES - 1):
            try:
                return self._once(transaction)
            except SqlError as error:
                if error.code not in _AGAIN:
                    raise
                self.rollback()
        return self._once(transaction)

    def _once(self, transaction: Callable[[Session], T]) -> T:
        self.sql("START TRANSACTION")
        return transaction(self)


def waits(future: Future[Any]) -> bool:
    """Whether a transaction waits for another session. One that failed doesn't: it ended."""
    try:
        future.exception(WAITS_S)
    except Waiting:
        return True
    return False


def result(future: Future[T]) -> T:
    """The result of a transaction that isn't blocked any more."""
    return future.result(2 * LOCK_WAIT_S)
