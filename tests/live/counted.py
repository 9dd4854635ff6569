"""What a server counts while something runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from waiting import wait_until

from dyno.client import Connection

THREADS = "SELECT thread_id FROM performance_schema.threads WHERE type = 'FOREGROUND'"


def counts(admin: Connection) -> Counter[str]:
    """The status variables of the whole server that are whole numbers."""
    rows = _rows(admin, "SHOW GLOBAL STATUS")
    return Counter({str(n): int(str(v)) for n, v in rows if str(v).isdecimal()})


def counted(admin: Connection, run: Callable[[], object]) -> Counter[str]:
    """By how much each grew while something ran, less what counting it costs."""
    # MySQL's list of processes leaves out connections that are being closed.
    has_threads = _rows(admin, "SELECT @@performance_schema") == [(1,)]
    query = THREADS if has_threads else "SHOW PROCESSLIST"
    asked = rows = 0

    def list_threads() -> set[object]:
        nonlocal asked, rows
        found = {row[0] for row in _rows(admin, query)}
        asked += 1
        rows += len(found)
        return found

    known = list_threads()
    asked = rows = 0
    before = counts(admin)
    run()
    # While MySQL 5.6 closes a connection, what it did is counted twice.
    wait_until(lambda: list_threads() <= known)
    after = counts(admin)
    # The same number of lists again; those above may have been longer, by connections that closed.
    listed, rows = rows, 0
    for _ in range(asked):
        list_threads()
    again = counts(admin)
    work = {name: after[name] - before[name] - (again[name] - after[name]) for name in after}
    if has_threads:
        work["Handler_read_rnd_next"] -= listed - rows
    return Counter({name: value for name, value in work.items() if value})


def _rows(admin: Connection, text: str) -> list[tuple[object, ...]]:
    with admin.cursor() as cursor:
        cursor.execute(text)
        return list(cursor.fetchall())
