"""A table with rows, sessions that write to it, and an ALTER of it that takes its time."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field

from dyno.client import Connection, SqlError
from dyno.runner.tasks.checkpoint import do_checkpoint
from dyno.runner.tasks.done import Cancel
from dyno.servers import Server

INTERRUPTED = 1317
SCHEMA = "shop"
TABLE = "orders"
ADD_INDEX = f"ALTER TABLE {TABLE} ADD INDEX k2 (k), ALGORITHM=INPLACE, LOCK=NONE"
ADD_TWO = f"ALTER TABLE {TABLE} ADD INDEX k2 (k), ADD INDEX pad2 (pad), ALGORITHM=INPLACE"
REBUILD = f"ALTER TABLE {TABLE} FORCE, ALGORITHM=INPLACE, LOCK=NONE"
UNDO = {
    ADD_INDEX: f"ALTER TABLE {TABLE} DROP INDEX k2",
    ADD_TWO: f"ALTER TABLE {TABLE} DROP INDEX k2, DROP INDEX pad2",
}


@dataclass
class Statement:
    """A statement that runs in a session and thread of its own."""

    server: Server
    connection: Connection
    sql: str
    begun_s: float = 0.0
    took_s: float | None = None
    error: SqlError | None = None
    thread: threading.Thread = field(init=False)

    @classmethod
    def begin(cls, server: Server, sql: str) -> Statement:
        statement = cls(server, server.admin(SCHEMA), sql)
        statement.thread = threading.Thread(target=statement._run, daemon=True)
        statement.begun_s = time.monotonic()
        statement.thread.start()
        return statement

    @property
    def id(self) -> int:
        return int(self.connection.thread_id())

    def _run(self) -> None:
        try:
            with self.connection.cursor() as cursor:
                cursor.execute(self.sql)
        except SqlError as error:
            self.error = error
        self.took_s = time.monotonic() - self.begun_s

    def end(self, timeout_s: float = 300) -> float:
        """Wait for its end; gives how long it took."""
        self.thread.join(timeout_s)
        assert self.took_s is not None, f"still running after {timeout_s} s: {self.sql}"
        self.connection.close()
        if self.error is not None:
            raise self.error
        return self.took_s

    def stop(self) -> None:
        """Kill it if it still runs, and wait for its end, which may be no other error."""
        with closing(self.server.admin()) as admin, admin.cursor() as cursor:
            cursor.execute(f"KILL QUERY {self.id}")
        try:
            self.end()
        except SqlError as error:
            if error.code != INTERRUPTED:
                raise


def fill(admin: Connection, rows: int) -> None:
    """Make the table afresh, with this many rows of about 250 bytes."""
    with admin.cursor() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS {SCHEMA}")
        cursor.execute(f"CREATE DATABASE {SCHEMA}")
        cursor.execute(
            f"CREATE TABLE {SCHEMA}.{TABLE} (id INT AUTO_INCREMENT PRIMARY KEY, k INT NOT NULL, "
            "c CHAR(120) NOT NULL, pad CHAR(60) NOT NULL, KEY k1 (k)) ENGINE=InnoDB "
            "DEFAULT CHARSET=latin1"
        )
        insert = f"INSERT INTO {SCHEMA}.{TABLE} (k, c, pad)"
        k, pad = "FLOOR(RAND() * 1000000)", "CONCAT(RAND(), RAND())"
        cursor.execute(f"{insert} VALUES ({k}, REPEAT('c', 100), {pad})")
        have = 1
        while have < rows:
            more = min(have, rows - have)
            cursor.execute(f"{insert} SELECT {k}, c, {pad} FROM {SCHEMA}.{TABLE} LIMIT {more}")
            have += more
        cursor.execute(f"ANALYZE TABLE {SCHEMA}.{TABLE}")


def settle(server: Server) -> None:
    """Wait until nothing is left to write of what was done before: a server that still writes a
    new table's pages reads it at a third of its speed, for as long as nobody can tell.
    """
    done = do_checkpoint(server, timeout_s=300, cancel=Cancel())
    assert done.outcome == "ok", done


def switch_stages(admin: Connection, *, on: bool) -> None:
    """As docs/guides/watch.md says."""
    enabled = "YES" if on else "NO"
    with admin.cursor() as cursor:
        cursor.execute(
            f"UPDATE performance_schema.setup_consumers SET enabled = '{enabled}' "
            "WHERE name LIKE 'events_stages_%'"
        )
        cursor.execute(
            f"UPDATE performance_schema.setup_instruments SET enabled = '{enabled}' "
            "WHERE name LIKE 'stage/innodb/alter%'"
        )


@contextmanager
def writing(
    server: Server, *, rows: int, per_s: float, sessions: int = 2, at_once: int = 0
) -> Iterator[None]:
    """Inserts, updates and deletes at a rate, while this lasts; or updates of several rows."""
    stop = threading.Event()
    threads = [
        threading.Thread(
            target=_write, args=(server, rows, per_s / sessions, number, stop, at_once), daemon=True
        )
        for number in range(sessions)
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join(60)


def _write(
    server: Server, rows: int, per_s: float, seed: int, stop: threading.Event, at_once: int
) -> None:
    draw = random.Random(seed)
    with closing(server.admin(SCHEMA)) as connection, connection.cursor() as cursor:
        next_s = time.monotonic()
        while not stop.is_set():
            kind, row = draw.randrange(4), draw.randrange(rows)
            try:
                if at_once:
                    cursor.execute(
                        f"UPDATE {TABLE} SET k = k + 1 WHERE id BETWEEN %s AND %s",
                        (row, row + at_once),
                    )
                elif kind == 0:
                    cursor.execute(
                        f"INSERT INTO {TABLE} (k, c, pad) VALUES (%s, 'new', 'row')", (row,)
                    )
                elif kind == 1:
                    cursor.execute(f"DELETE FROM {TABLE} WHERE id = %s", (row,))
                else:
                    cursor.execute(f"UPDATE {TABLE} SET k = k + 1 WHERE id = %s", (row,))
            except SqlError:
                if not connection.open:
                    return  # The server went away, as some tests want it to.
            next_s = max(next_s + 1 / per_s, time.monotonic() - 1)
            stop.wait(max(next_s - time.monotonic(), 0))
