"""Stage events: what each session's ALTER in place has done of its own work.

They are in performance_schema, which MariaDB disables by default; MySQL enables it, but without
these events. So an account and a server that show them are rare, and the reason why not is given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dyno.client import SqlError

# In the name of the stage in which a table is read.
READS = "read PK"
Rows = Callable[[str], list[tuple[Any, ...]]]

# Not allowed or nonexistent, by the server's error numbers: table, database, column, privilege.
_REFUSED = (1142, 1044, 1143, 1227, 1370)
_UNKNOWN = (1109, 1146, 1054)
_GRANT = "the account may not read performance_schema (GRANT SELECT ON performance_schema.* TO it)"


def stages_now(rows: Rows) -> dict[int, tuple[str, float | None]]:
    """By session: the name of its stage event, and its progress in percent.

    The latter is None while the server reads a table whose size it doesn't know: its estimate of
    the whole is then what it has read so far.
    """
    found = rows(
        "SELECT t.PROCESSLIST_ID, e.EVENT_NAME, e.WORK_COMPLETED, e.WORK_ESTIMATED "
        "FROM performance_schema.events_stages_current e "
        "JOIN performance_schema.threads t USING (THREAD_ID) "
        "WHERE t.PROCESSLIST_ID IS NOT NULL AND e.WORK_ESTIMATED > 0"
    )
    stages: dict[int, tuple[str, float | None]] = {}
    for thread, name, done, total in found:
        words = str(name).rpartition("/")[2]
        reads_unknown = done >= total and READS in words
        stages[int(thread)] = words, None if reads_unknown else min(100.0 * done / total, 100.0)
    return stages


def why_no_stages(rows: Rows, product: str, mariadb: bool, version: tuple[int, ...]) -> str | None:
    """Why the server doesn't report stage events with their work; None: it does."""
    if version < ((10, 5) if mariadb else (5, 7)):
        return (
            f"{product} has no stage events; "
            f"{'MariaDB from 10.5' if mariadb else 'MySQL from 5.7'} on has them"
        )
    try:
        switch: dict[str, str] = dict(rows("SHOW GLOBAL VARIABLES LIKE 'performance_schema'"))
        if switch.get("performance_schema") == "OFF":
            return "performance_schema is off, which takes a restart with performance_schema=ON"
        if not rows(
            "SELECT COLUMN_NAME FROM information_schema.COLUMNS "
            "WHERE TABLE_SCHEMA = 'performance_schema' AND TABLE_NAME = 'events_stages_current' "
            "AND COLUMN_NAME = 'WORK_ESTIMATED'"
        ):
            return _GRANT
        on = rows(
            "SELECT 1 FROM performance_schema.setup_consumers "
            "WHERE NAME = 'events_stages_current' AND ENABLED = 'YES'"
        )
        instruments = rows(
            "SELECT 1 FROM performance_schema.setup_instruments "
            "WHERE NAME LIKE 'stage/innodb/alter%' AND ENABLED = 'YES' LIMIT 1"
        )
    except SqlError as error:
        if error.code not in (*_REFUSED, *_UNKNOWN):
            raise
        return _GRANT
    if on and instruments:
        return None
    return (
        "stage events are switched off (UPDATE performance_schema.setup_consumers SET "
        "ENABLED = 'YES' WHERE NAME LIKE 'events_stages_%'; and of setup_instruments "
        "those LIKE 'stage/innodb/alter%')"
    )
