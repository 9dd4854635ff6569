"""What a server counts while something runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from waiting import wait_until

from dyno.client import Connection

# The waiting below asks for it, however often.
OF_WAITING = "Com_show_processlist"


def counts(admin: Connection) -> Counter[str]:
    """The status variables of the whole server that are whole numbers."""
    rows = _rows(admin, "SHOW GLOBAL STATUS")
    return Counter({str(n): int(str(v)) for n, v in rows if str(v).isdecimal()})


def counted(admin: Connection, run: Callable[[], object]) -> Counter[str]:
    """By how much each grew while something ran, less what counting it costs."""
    known = _connections(admin)
    before = counts(admin)
    run()
    # While MySQL 5.6 closes a connection, what it did is counted twice.
    wait_until(lambda: _connections(admin) <= known)
    after = counts(admin)
    again = counts(admin)
    work = {n: after[n] - before[n] - (again[n] - after[n]) for n in after if n != OF_WAITING}
    return Counter({name: value for name, value in work.items() if value})


def _connections(admin: Connection) -> set[object]:
    return {row[0] for row in _rows(admin, "SHOW PROCESSLIST")}


def _rows(admin: Connection, text: str) -> list[tuple[object, ...]]:
    with admin.cursor() as cursor:
        cursor.execute(text)
        return list(cursor.fetchall())
