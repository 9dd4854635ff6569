"""The places where a server tells of progress, and the queries that ask them.

Which of them a server has is found out by asking it, not by its version: forks differ. What isn't
there, or may not be seen, is named in `missing`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any

import pymysql

from dyno.servers import AdminConnection
from dyno.spec.product import full_name, series
from dyno.watch.phases import Build

# Of a statement's text so much is fetched: some are megabytes long.
SQL_CHARS = 1000
# An index's entry while it is sorted, about.
ENTRY_BYTES = 30
# Not allowed, by the server's error numbers: table, database, column, privilege.
_REFUSED = (1142, 1044, 1143, 1227, 1370)
_UNKNOWN = (1109, 1146, 1054)
_PROCESS = re.compile(r"\b(?:PROCESS|ALL PRIVILEGES)\b.*? ON \*\.\* TO ", re.I)


@dataclass(frozen=True)
class Rights:
    """What the account may see."""

    process: bool


@dataclass(frozen=True)
class Thread:
    """A session in the middle of a statement; `stages` is 0 where it reports no progress."""

    id: int
    user: str
    database: str | None
    state: str
    sql: str
    elapsed_s: float
    stage: int = 0
    stages: int = 0
    stage_pct: float = 0.0
    examined: int | None = None
    killed: bool = False


@dataclass
class Sources:
    """A server's sources; every method asks it once, and raises pymysql.MySQLError."""

    connection: AdminConnection
    rights: Rights
    columns: frozenset[str]
    has_onlineddl: bool = False
    has_stages: bool = False
    statistics: str | None = None
    dictionary: str | None = None
    sorts_rows: bool = False
    lock_query: str | None = None
    missing: dict[str, str] = field(default_factory=dict)

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        with self.connection.cursor() as cursor:
            cursor.execute(sql, values or None)
            return list(cursor.fetchall())

    def threads(self) -> list[Thread]:
        """Sessions that do something, but this one."""
        columns = {
            "id": "ID",
            "user": "USER",
            "db": "DB",
            "state": "STATE",
            "info": f"LEFT(INFO, {SQL_CHARS})",
            "time": "TIME_MS / 1000" if "TIME_MS" in self.columns else "TIME",
            "stage": "STAGE" if "PROGRESS" in self.columns else "0",
            "stages": "MAX_STAGE" if "PROGRESS" in self.columns else "0",
            "pct": "PROGRESS" if "PROGRESS" in self.columns else "0",
            "examined": "EXAMINED_ROWS" if "EXAMINED_ROWS" in self.columns else "NULL",
            "killed": "COMMAND = 'Killed'",
        }
        asked = ", ".join(columns.values())
        found = self.rows(
            f"SELECT {asked} FROM information_schema.PROCESSLIST "
            "WHERE INFO IS NOT NULL AND COMMAND <> 'Sleep' AND ID <> CONNECTION_ID() ORDER BY ID"
        )
        return [
            Thread(
                id=int(row[0]),
                user=str(row[1]),
                database=_text(row[2]),
                state=_text(row[3]) or "",
                sql=_text(row[4]) or "",
                elapsed_s=max(float(row[5] or 0), 0.0),
                stage=int(row[6] or 0),
                stages=int(row[7] or 0),
                stage_pct=float(row[8] or 0),
                examined=None if row[9] is None else int(row[9]),
                killed=bool(row[10]),
            )
            for row in found
        ]

    def onlineddl(self) -> dict[str, int]:
        """Innodb_onlineddl_* by the rest of their names; empty where there are none."""
        if not self.has_onlineddl:
            return {}
        found = self.rows(r"SHOW GLOBAL STATUS LIKE 'Innodb\_onlineddl\_%'")
        return {str(name).lower().removeprefix("innodb_onlineddl_"): int(v) for name, v in found}

    def defragments(self) -> bool:
        """Whether OPTIMIZE TABLE defragments instead of rebuilding."""
        found = self.rows("SHOW GLOBAL VARIABLES LIKE 'innodb_defragment'")
        return bool(found) and found[0][1] == "ON"

    def defragmented(self) -> int | None:
        """Innodb_defragment_count."""
        found = self.rows("SHOW GLOBAL STATUS LIKE 'Innodb_defragment_count'")
        return int(found[0][1]) if found else None

    def stages(self) -> dict[int, tuple[str, float | None]]:
        """By session: the words of its stage event, and how far it is in percent."""
        if not self.has_stages:
            return {}
        found = self.rows(
            "SELECT t.PROCESSLIST_ID, e.EVENT_NAME, e.WORK_COMPLETED, e.WORK_ESTIMATED "
            "FROM performance_schema.events_stages_current e "
            "JOIN performance_schema.threads t USING (THREAD_ID) "
            "WHERE t.PROCESSLIST_ID IS NOT NULL AND e.WORK_ESTIMATED > 0"
        )
        return {
            int(thread): (str(name).rpartition("/")[2], min(100.0 * done / total, 100.0))
            for thread, name, done, total in found
        }

    def table_rows(self, table: str) -> int | None:
        """About how many rows a table (schema.table) has."""
        schema, _, name = table.rpartition(".")
        if self.statistics is not None:
            found = self.rows(
                f"SELECT NUM_ROWS FROM information_schema.{self.statistics} WHERE NAME = %s",
                f"{_file_name(schema)}/{_file_name(name)}",
            )
            # None or 0 before somebody has asked for them; asking below is for who may.
            if found and found[0][0]:
                return int(found[0][0])
        found = self.rows(
            "SELECT TABLE_ROWS FROM information_schema.TABLES "
            "WHERE TABLE_SCHEMA = %s AND TABLE_NAME = %s",
            schema,
            name,
        )
        return int(found[0][0]) if found and found[0][0] else None

    def copied_rows(self, table: str, thread: int) -> int | None:
        """How many rows an ALTER that copies its table has copied; None where it isn't seen."""
        if self.statistics is None:
            return None
        schema = _file_name(table.rpartition(".")[0])
        found = self.rows(
            f"SELECT NAME, NUM_ROWS FROM information_schema.{self.statistics} WHERE NAME LIKE %s",
            f"{schema}/#sql%",
        )
        mine = re.compile(rf"#sql(?:-alter)?-[0-9a-f]+[-_]{thread:x}$", re.I)
        return next((int(rows) for name, rows in found if mine.search(_text(name) or "")), None)

    def build(self, table: str) -> Build | None:
        """What an ALTER in place of a table builds; None where it isn't seen.

        A table that is rebuilt has a nameless one beside it; an index that isn't there yet has a
        name that begins with a byte of its own, which is shown as a question mark.
        """
        if self.dictionary is None:
            return None
        schema, _, name = table.rpartition(".")
        schema = _file_name(schema)
        found = self.rows(
            f"SELECT t.NAME, i.NAME FROM information_schema.{self.dictionary}_TABLES t "
            f"JOIN information_schema.{self.dictionary}_INDEXES i USING (TABLE_ID) "
            "WHERE t.NAME = %s OR t.NAME LIKE %s",
            f"{schema}/{_file_name(name)}",
            f"{schema}/#sql%",
        )
        new = [_text(of) for of, _ in found if "/#sql" in (_text(of) or "")]
        if new:
            # Several at once: whose they are isn't told.
            count = len(new) if len(set(new)) == 1 else 0
        else:
            count = sum((_text(index) or "").startswith("?") for _, index in found)
        if not count:
            return None
        return Build(bool(new), count, self.sorts_rows, self._passes(self.table_rows(table)))

    def _passes(self, rows: int | None) -> int:
        """How often sorted runs, each as long as the buffer, are merged until one is left."""
        found = self.rows("SHOW GLOBAL VARIABLES LIKE 'innodb_sort_buffer_size'")
        runs = (rows or 0) * ENTRY_BYTES / int(found[0][1]) if found else 1.0
        return max(math.ceil(math.log2(runs)), 1) if runs > 1 else 1

    def changed_rows(self, thread: int) -> int | None:
        """How many rows the session's transaction has changed."""
        if not self.rights.process:
            return None
        found = self.rows(
            "SELECT trx_rows_modified FROM information_schema.INNODB_TRX "
            "WHERE trx_mysql_thread_id = %s",
            thread,
        )
        return int(found[0][0]) if found else None

    def lock_waits(self) -> dict[int, int]:
        """By session that waits for a row: the session that has it locked."""
        if self.lock_query is None:
            return {}
        return {int(waits): int(holds) for waits, holds in self.rows(self.lock_query)}


def find_sources(connection: AdminConnection, version: str) -> Sources:
    """Ask a server which sources it has. Raises pymysql.MySQLError."""
    sources = Sources(connection, Rights(process=False), frozenset())
    ((text,),) = sources.rows("SELECT version()")
    mariadb = "mariadb" in str(text).lower()
    sources.rights = Rights(process=_has_process(sources))
    if not sources.rights.process:
        sources.missing["sessions"] = (
            "the account lacks PROCESS, so only its own sessions are seen "
            "(GRANT PROCESS ON *.* TO it)"
        )
        sources.missing["row locks"] = "who waits for a row is shown only with PROCESS"
    columns = sources.rows(
        "SELECT COLUMN_NAME FROM information_schema.COLUMNS "
        "WHERE TABLE_SCHEMA = 'information_schema' AND TABLE_NAME = 'PROCESSLIST'"
    )
    sources.columns = frozenset(str(name).upper() for (name,) in columns)
    sources.has_onlineddl = bool(sources.rows(r"SHOW GLOBAL STATUS LIKE 'Innodb\_onlineddl\_%'"))
    product = full_name("mariadb" if mariadb else "mysql", version)
    if not sources.has_onlineddl:
        sources.missing["row log"] = (
            f"{product} doesn't tell how full it is; MariaDB from 10.1 on does"
        )
    if not mariadb:
        _find_stages(sources, product, version)
    if sources.rights.process:
        sources.statistics = _first(sources, ("INNODB_SYS_TABLESTATS", "INNODB_TABLESTATS"))
        sources.lock_query = _lock_query(sources)
        found = _first(sources, ("INNODB_SYS_INDEXES", "INNODB_INDEXES"))
        sources.dictionary = found.removesuffix("_INDEXES") if found else None
    # From 10.2 on rows that keep their primary key go into the new table as they are read.
    sources.sorts_rows = mariadb and series(version) < (10, 2)
    return sources


def _find_stages(sources: Sources, product: str, version: str) -> None:
    """Stage events with their work, which MySQL has from 5.7 on and which may be switched off."""
    try:
        worked = sources.rows(
            "SELECT COLUMN_NAME FROM information_schema.COLUMNS "
            "WHERE TABLE_SCHEMA = 'performance_schema' AND TABLE_NAME = 'events_stages_current' "
            "AND COLUMN_NAME = 'WORK_ESTIMATED'"
        )
        if series(version) < (5, 7):
            sources.missing["progress"] = (
                f"{product} tells nothing but the words of a session's state; "
                "MySQL from 5.7 on has stage events"
            )
            return
        if not worked:
            sources.missing["progress"] = (
                "the account may not read performance_schema, or it is switched off "
                "(GRANT SELECT ON performance_schema.* TO it)"
            )
            return
        on = sources.rows(
            "SELECT ENABLED FROM performance_schema.setup_consumers "
            "WHERE NAME = 'events_stages_current'"
        )
        instruments = sources.rows(
            "SELECT ENABLED FROM performance_schema.setup_instruments "
            "WHERE NAME LIKE 'stage/innodb/alter%' AND ENABLED = 'YES' LIMIT 1"
        )
    except pymysql.MySQLError as error:
        if not error.args or error.args[0] not in (*_REFUSED, *_UNKNOWN):
            raise
        sources.missing["progress"] = (
            "the account may not read performance_schema "
            "(GRANT SELECT ON performance_schema.* TO it)"
        )
        return
    sources.has_stages = bool(on) and on[0][0] == "YES" and bool(instruments)
    if not sources.has_stages:
        sources.missing["progress"] = (
            "stage events are switched off (UPDATE performance_schema.setup_consumers SET "
            "ENABLED = 'YES' WHERE NAME LIKE 'events_stages_%'; and of setup_instruments "
            "those LIKE 'stage/innodb/alter%')"
        )


def _has_process(sources: Sources) -> bool:
    return any(_PROCESS.search(str(grant)) for (grant,) in sources.rows("SHOW GRANTS"))


def _first(sources: Sources, names: tuple[str, ...]) -> str | None:
    """The first of these tables of information_schema that the server has."""
    for name in names:
        if sources.rows(
            "SELECT 1 FROM information_schema.TABLES "
            "WHERE TABLE_SCHEMA = 'information_schema' AND TABLE_NAME = %s",
            name,
        ):
            return name
    return None


def _lock_query(sources: Sources) -> str | None:
    if _first(sources, ("INNODB_LOCK_WAITS",)) is None:
        sources.missing["row locks"] = "this server has no information_schema.INNODB_LOCK_WAITS"
        return None
    return (
        "SELECT r.trx_mysql_thread_id, b.trx_mysql_thread_id "
        "FROM information_schema.INNODB_LOCK_WAITS w "
        "JOIN information_schema.INNODB_TRX r ON r.trx_id = w.requesting_trx_id "
        "JOIN information_schema.INNODB_TRX b ON b.trx_id = w.blocking_trx_id"
    )


def _file_name(name: str) -> str:
    """A name as InnoDB writes it; of letters beyond ASCII it has codes of its own."""
    return re.sub(r"[^\w]", lambda found: f"@{ord(found.group()):04x}", name, flags=re.ASCII)


def _text(value: object) -> str | None:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return None if value is None else str(value)
