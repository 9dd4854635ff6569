"""The places where a server reports progress, and the queries that read them.

Which of them a server has is found out by asking it, not by its version: forks differ. What doesn't
exist, or may not be seen, is named in `missing`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any

from dyno.client import Connection, reads_answers
from dyno.spec.product import full_name, series
from dyno.watch.phases import Build
from dyno.watch.stages import stages_now, why_no_stages

# Only this much of a statement's text is fetched: some are megabytes long.
SQL_CHARS = 1000
# The approximate size of an index's entry while it is sorted.
ENTRY_BYTES = 30
_PROCESS = re.compile(r"\b(?:PROCESS|ALL PRIVILEGES)\b.*? ON \*\.\* TO ", re.I)


@dataclass(frozen=True)
class Rights:
    """What the account may see."""

    process: bool


@dataclass(frozen=True)
class Thread:
    """A session executing a statement; `stages` is 0 if it reports no progress."""

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
    """A server's sources; every method asks it once, and raises SqlError.

    `no_stages`: why there are no stage events; None: there are.
    """

    connection: Connection
    rights: Rights
    columns: frozenset[str]
    has_onlineddl: bool = False
    no_stages: str | None = "they weren't looked for"
    statistics: str | None = None
    dictionary: str | None = None
    sorts_rows: bool = False
    lock_query: str | None = None
    missing: dict[str, str] = field(default_factory=dict)

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        return self.connection.rows(sql, *values)

    def threads(self) -> list[Thread]:
        """Sessions that are doing something, except this one."""
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
        """Innodb_onlineddl_* by the rest of their names; empty if there are none."""
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
        """By session: the name of its stage event, and its progress in percent."""
        return stages_now(self.rows) if self.no_stages is None else {}

    def table_rows(self, table: str) -> int | None:
        """About how many rows a table (schema.table) has."""
        schema, _, name = table.rpartition(".")
        if self.statistics is not None:
            found = self.rows(
                f"SELECT NUM_ROWS FROM information_schema.{self.statistics} WHERE NAME = %s",
                f"{_file_name(schema)}/{_file_name(name)}",
            )
            # None or 0 until statistics were requested; the query below does that, if allowed.
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
        """How many rows an ALTER that copies its table has copied; None if it can't be seen."""
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
        """What an ALTER in place of a table builds; None if it can't be seen.

        A table that is rebuilt has a nameless one beside it; an index that isn't there yet has a
        name that begins with a special byte, which is shown as a question mark.
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
            # Several at once: nothing says whose they are.
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
        """By session that waits for a row: the session that has locked it."""
        if self.lock_query is None:
            return {}
        return {int(waits): int(holds) for waits, holds in self.rows(self.lock_query)}


@reads_answers
def find_sources(connection: Connection, version: str) -> Sources:
    """Ask a server which sources it has. Raises SqlError."""
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
            f"{product} doesn't report how full it is; MariaDB does from 10.1 on"
        )
    sources.no_stages = why_no_stages(sources.rows, product, mariadb, series(version))
    if sources.no_stages is not None and not mariadb:
        # MariaDB has other sources; stage events are only missed if those don't report.
        sources.missing["progress"] = sources.no_stages
    if sources.rights.process:
        sources.statistics = _first(sources, ("INNODB_SYS_TABLESTATS", "INNODB_TABLESTATS"))
        sources.lock_query = _lock_query(sources)
        found = _first(sources, ("INNODB_SYS_INDEXES", "INNODB_INDEXES"))
        sources.dictionary = found.removesuffix("_INDEXES") if found else None
    # From 10.2 on rows that keep their primary key go into the new table as they are read.
    sources.sorts_rows = mariadb and series(version) < (10, 2)
    return sources


def _has_process(sources: Sources) -> bool:
    return any(_PROCESS.search(str(grant)) for (grant,) in sources.rows("SHOW GRANTS"))


def _first(
    sources: Sources, names: tuple[str, ...], schema: str = "information_schema"
) -> str | None:
    """The first of these tables of a schema that the server has."""
    for name in names:
        if sources.rows(
            "SELECT 1 FROM information_schema.TABLES WHERE TABLE_SCHEMA = %s AND TABLE_NAME = %s",
            schema,
            name,
        ):
            return name
    return None


def _lock_query(sources: Sources) -> str | None:
    """Asks who waits for whom; MySQL from 8.0 on has it in the performance schema."""
    if _first(sources, ("INNODB_LOCK_WAITS",)) is not None:
        return _waits_in("information_schema.INNODB_LOCK_WAITS", "requesting_trx", "blocking_trx")
    table = _first(sources, ("data_lock_waits",), "performance_schema")
    if table is None:
        sources.missing["row locks"] = "this server has no information_schema.INNODB_LOCK_WAITS"
        return None
    ((is_on,),) = sources.rows("SELECT @@performance_schema")
    if not is_on:
        sources.missing["row locks"] = (
            "who waits for a row is shown by performance_schema.data_lock_waits, and "
            "performance_schema is off"
        )
        return None
    transaction = "ENGINE_TRANSACTION"
    return _waits_in(
        f"performance_schema.{table}", f"REQUESTING_{transaction}", f"BLOCKING_{transaction}"
    )


def _waits_in(table: str, waits: str, holds: str) -> str:
    """The sessions of the transactions of such a table; its columns end with _ID."""
    return (
        f"SELECT r.trx_mysql_thread_id, b.trx_mysql_thread_id FROM {table} w "
        f"JOIN information_schema.INNODB_TRX r ON r.trx_id = w.{waits}_id "
        f"JOIN information_schema.INNODB_TRX b ON b.trx_id = w.{holds}_id"
    )


def _file_name(name: str) -> str:
    """A name as InnoDB writes it, which has its own codes for letters beyond ASCII."""
    return re.sub(r"[^\w]", lambda found: f"@{ord(found.group()):04x}", name, flags=re.ASCII)


def _text(value: object) -> str | None:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return None if value is None else str(value)
