"""A task's SQL: run on one connection in its own thread, and killed when its time is over.

The thread notes when it began and ended, so that whoever waits for it adds nothing to its time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

from dyno.client import Connection, SqlError
from dyno.runner.sessions import kill, session_id
from dyno.runner.tasks.done import Cancel, Done
from dyno.servers import ReadableServer
from dyno.spec.load_plan import set_session
from dyno.spec.strict import Settings
from dyno.spec.units import format_duration

POLL_S = 0.05
# After the first KILL QUERY: how long a statement has to undo its work before its connection is
# abandoned; and how often the kill is repeated, since one between two statements hits none.
UNDO_S = 60.0
KILL_AGAIN_S = 1.0
# What OPTIMIZE, ANALYZE, CHECK and REPAIR answer with: they report errors as rows.
_TABLE_WORDS = ("table", "op", "msg_type", "msg_text")


class _TableError(Exception):
    """An error that came as a row."""


class _Work(threading.Thread):
    """The statements, in order. Read its fields once `over` is set."""

    def __init__(self, connection: Connection, statements: Sequence[str]) -> None:
        super().__init__(name="task", daemon=True)
        self.connection = connection
        self.session_id = session_id(connection)
        self.statements = statements
        self.over = threading.Event()
        self.unwanted = False
        self.is_whole = False
        self.begun_s = 0.0
        self.ended_s = 0.0
        self.error: Exception | None = None

    def run(self) -> None:
        """Run them until one fails or the work is cancelled."""
        self.begun_s = time.monotonic()
        try:
            for sql in self.statements:
                if self.unwanted:
                    return
                self._run(sql)
            self.is_whole = True
        except Exception as error:  # The waiting thread decides which errors count.
            self.error = error
        finally:
            self.ended_s = time.monotonic()
            self.over.set()

    def _run(self, sql: str) -> None:
        with self.connection.streamed(sql) as (names, rows):
            tells = tuple(name.lower() for name in names) == _TABLE_WORDS
            for row in rows:
                if tells and str(row[2]).lower() == "error":
                    raise _TableError(str(row[3]))


def set_up(connection: Connection, session: Settings) -> None:
    """Give a task's connection its settings."""
    for sql in set_session(session):
        connection.run(sql)


def do_sql(
    server: ReadableServer,
    connection: Connection,
    statements: Sequence[str],
    *,
    timeout_s: float,
    cancel: Cancel,
) -> Done:
    """Run the statements on `connection`. When this returns, none of them is still running, except
    on a server that doesn't kill; when it raises they are killed, and may still be undone.
    """
    work = _Work(connection, statements)
    work.start()
    try:
        killed = _watch(server, work, time.monotonic() + timeout_s, cancel)
    except BaseException:  # Ctrl-C: nobody will ever wait for it again.
        _kill(server, work, undo_s=0.0)
        raise
    if not work.over.is_set():
        now_s = time.monotonic()
        return Done(
            "timeout",
            work.begun_s,
            now_s - work.begun_s,
            message=f"{killed}; the server went on with it",
        )
    return _done(work, killed)


def _watch(server: ReadableServer, work: _Work, deadline_s: float, cancel: Cancel) -> str | None:
    """Wait for the end; returns why it was killed, if it was."""
    begun_s = time.monotonic()
    while not work.over.wait(POLL_S):
        if time.monotonic() < deadline_s and not cancel.is_said:
            continue
        took = format_duration(time.monotonic() - begun_s)
        why = cancel.reason if cancel.is_said else "its time was over"
        _kill(server, work, undo_s=0.0 if cancel.in_a_hurry else UNDO_S)
        return f"killed after {took}: {why}"
    return None


def _kill(server: ReadableServer, work: _Work, *, undo_s: float) -> None:
    """Kill what runs, and wait at most this long until it is undone."""
    work.unwanted = True
    give_up_s = time.monotonic() + undo_s
    while not work.over.is_set():
        kill(server, work.session_id)
        if work.over.wait(KILL_AGAIN_S) or time.monotonic() > give_up_s:
            break
    if not work.over.is_set():
        kill(server, work.session_id, connection=True)
        work.over.wait(KILL_AGAIN_S)


def _done(work: _Work, killed: str | None) -> Done:
    elapsed_s = work.ended_s - work.begun_s
    error = work.error
    if work.is_whole and error is None:
        return Done("ok", work.begun_s, elapsed_s)
    code = error.code if isinstance(error, SqlError) else None
    if killed is not None:
        return Done("timeout", work.begun_s, elapsed_s, code, killed)
    if isinstance(error, SqlError):
        by_server = error.by_server
        return Done("failed", work.begun_s, elapsed_s, code, error.words, by_server=by_server)
    if isinstance(error, _TableError):
        return Done("failed", work.begun_s, elapsed_s, None, str(error), by_server=True)
    assert error is not None
    raise error
