"""Waits until InnoDB has nothing left to write: no dirty page, and the log at its checkpoint.

Meanwhile the server is configured to keep no dirty pages; then its own settings are restored.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

from dyno.client import Connection, SqlError
from dyno.runner.tasks.done import Cancel, Done
from dyno.runner.tasks.sql import POLL_S
from dyno.servers import ReadableServer
from dyno.spec.units import format_bytes, format_duration

# In the order in which they are restored: a low water mark is at most the other one.
LIMITS = ("innodb_max_dirty_pages_pct", "innodb_max_dirty_pages_pct_lwm")
# A checkpoint is itself logged, so the log is never quite empty.
AGE_MAX_BYTES = 512
_DIRTY = "innodb_buffer_pool_pages_dirty"
_AGE = "innodb_checkpoint_age"
_LSNS = ("innodb_lsn_current", "innodb_lsn_last_checkpoint")
_LSN_WORDS = re.compile(r"Log sequence number\s+(\d+).*?Last checkpoint at\s+(\d+)", re.S)


def do_checkpoint(server: ReadableServer, *, timeout_s: float, cancel: Cancel) -> Done:
    """Wait for it. Raises ServerError if the server can't be reached."""
    with closing(server.admin()) as connection:
        begun_s = time.monotonic()
        try:
            with _flushing(connection):
                left = _wait(connection, begun_s + timeout_s, cancel)
        except SqlError as error:
            elapsed_s = time.monotonic() - begun_s
            return Done("failed", begun_s, elapsed_s, error.code, error.words)
        elapsed_s = time.monotonic() - begun_s
    if left is None:
        return Done("ok", begun_s, elapsed_s)
    why = cancel.reason if cancel.is_said else f"not within {format_duration(timeout_s)}"
    return Done("timeout", begun_s, elapsed_s, message=f"{why}: {left}")


@contextmanager
def _flushing(connection: Connection) -> Iterator[None]:
    """The server keeps as few dirty pages as it can."""
    asked = connection.rows("SHOW GLOBAL VARIABLES LIKE 'innodb\\_max\\_dirty\\_pages\\_pct%'")
    found = {str(name).lower(): value for name, value in asked}
    limits = [name for name in LIMITS if name in found]
    for name in reversed(limits):
        connection.run(f"SET GLOBAL {name} = 0")
    try:
        yield
    finally:
        # On a server that went away there is nothing to restore.
        with suppress(SqlError):
            for name in limits:
                connection.run(f"SET GLOBAL {name} = {float(found[name])}")


def _wait(connection: Connection, deadline_s: float, cancel: Cancel) -> str | None:
    """None once nothing is left; else what was left when the wait ended."""
    while (left := _left(connection)) is not None:
        if time.monotonic() > deadline_s or cancel.wait(POLL_S):
            return left
    return None


def _left(connection: Connection) -> str | None:
    """What is left to write, in words; None if that is nothing."""
    names = ", ".join(f"'{name}'" for name in (_DIRTY, _AGE, *_LSNS))
    asked = connection.rows(f"SHOW GLOBAL STATUS WHERE Variable_name IN ({names})")
    found = {str(name).lower(): int(value) for name, value in asked}
    if found.get(_DIRTY):
        return f"{found[_DIRTY]:,} dirty pages"
    age_bytes = _age_bytes(connection, found)
    if age_bytes is not None and age_bytes > AGE_MAX_BYTES:
        return f"{format_bytes(age_bytes)} of the log are younger than the checkpoint"
    return None


def _age_bytes(connection: Connection, status: dict[str, int]) -> int | None:
    """How much of the log is younger than the last checkpoint; None if unknown."""
    if _AGE in status:
        return status[_AGE]
    if all(name in status for name in _LSNS):
        return status[_LSNS[0]] - status[_LSNS[1]]
    rows = connection.rows("SHOW ENGINE INNODB STATUS")
    words = _LSN_WORDS.search(str(rows[0][2])) if rows else None
    return int(words[1]) - int(words[2]) if words else None
