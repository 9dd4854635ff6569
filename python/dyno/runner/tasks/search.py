"""Tries a task's SQL at values of a global variable, on the server: set it, run, undo.

`bisect` decides which value comes next. The variable gets its own value back, whatever happens.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from numbers import Real

from dyno.client import Connection, SqlError
from dyno.errors import ServerError
from dyno.runner.bench import Bench
from dyno.runner.tasks.bisect import SearchEndedError, search
from dyno.runner.tasks.done import Cancel, Done, Work
from dyno.runner.tasks.sql import do_sql, set_up
from dyno.servers import ReadableServer
from dyno.spec.least import Least
from dyno.spec.task import Task
from dyno.spec.units import format_duration
from dyno.store.trial import Attempt, Outcome


def do_search(
    bench: Bench,
    server: ReadableServer,
    task: Task,
    cancel: Cancel,
    *,
    say: Callable[[str], None],
) -> Work:
    """Search for the least value. Raises ServerError if the server can't be reached, and SqlError
    if it has no such variable.
    """
    assert task.least is not None
    with _put_back(server, task.least.variable):
        return search(task.least, _Trying(bench, server, task, task.least, cancel, say))


@contextmanager
def _put_back(server: ReadableServer, variable: str) -> Iterator[None]:
    """Whatever the variable is set to meanwhile, its own value is restored."""
    with closing(server.admin()) as connection:
        own = _read(connection, variable)
    try:
        yield
    finally:
        # On a server that went away there is nothing to restore.
        with (
            suppress(ServerError),
            closing(server.admin()) as connection,
        ):
            _write(connection, variable, own)


def _read(connection: Connection, variable: str) -> object:
    return connection.row(f"SELECT @@GLOBAL.{variable}")[0]


def _write(connection: Connection, variable: str, value: object) -> None:
    connection.run(f"SET GLOBAL {variable} = %s", value)


@dataclass
class _Trying:
    """One attempt after the other, all of them within the task's time."""

    bench: Bench
    server: ReadableServer
    task: Task
    least: Least
    cancel: Cancel
    say: Callable[[str], None]
    tried: set[int] = field(default_factory=set)
    begun_s: float = field(default_factory=time.monotonic)

    @property
    def left_s(self) -> float:
        """How much of the task's time is left."""
        return self.begun_s + self.task.timeout - time.monotonic()

    def __call__(self, value: int) -> Attempt | None:
        """Try a value, unless the server rounds it to one that was tried already."""
        if self.cancel.is_said or self.left_s <= 0:
            late = f"not within {format_duration(self.task.timeout)}"
            raise SearchEndedError(self._end("timeout", self.cancel.reason or late))
        try:
            value = self._set(value)
            if value in self.tried:
                return None
            self.tried.add(value)
            self.say(f"task: {self.task.name}, at {self.least.shown(value)}")
            # A session keeps the values that it began with, so each attempt has its own session.
            with closing(self.server.admin(self.bench.schema, answer_s=None)) as connection:
                set_up(connection, self.bench.arm.session | self.task.session)
                return self._run(connection, value)
        except SqlError as error:  # From SET, or from a connection that was lost.
            raise SearchEndedError(self._end("failed", error.words, error.code)) from error

    def _set(self, value: int) -> int:
        """Set the variable; returns the value that the server made of it."""
        with closing(self.server.admin()) as connection:
            _write(connection, self.least.variable, value)
            found = _read(connection, self.least.variable)
        if not isinstance(found, Real):
            raise SearchEndedError(
                self._end("failed", f"{self.least.variable} is {found!r}, not a number")
            )
        return round(float(found))

    def _run(self, connection: Connection, value: int) -> Attempt:
        """The SQL, and what undoes it if it succeeded."""
        done = self._sql(connection, self.task.statements)
        tried = Attempt(
            value=value,
            outcome=done.outcome,
            elapsed_s=round(done.elapsed_s, 6),
            code=done.code,
            message=done.message,
        )
        if done.outcome == "failed" and not done.by_server:
            raise SearchEndedError(done)
        if done.outcome == "ok":
            undone = self._sql(connection, self.task.undoing)
            if undone.outcome != "ok":
                raise SearchEndedError(replace(undone, message=f"undo: {undone.message}"), tried)
        return tried

    def _sql(self, connection: Connection, statements: Sequence[str]) -> Done:
        return do_sql(
            self.server, connection, statements, timeout_s=self.left_s, cancel=self.cancel
        )

    def _end(self, outcome: Outcome, message: str, code: int | None = None) -> Done:
        return Done(outcome, self.begun_s, 0.0, code, message)
