"""How InnoDB keeps an arm's tables: pages by index, in the buffer pool, and how compression went.

Asked once per arm, after everything that is measured: updating statistics and scanning the buffer
pool would disturb it. Each question has a time limit, and what isn't answered has a reason. Sizes
in bytes are in `sizes`.
"""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from dyno.client import Connection, SqlError
from dyno.runner.bench import Bench
from dyno.runner.sessions import kill, session_id
from dyno.servers import MARKER_TABLE, ReadableServer
from dyno.spec.plan import Plan
from dyno.store.storage import IndexPages, Storage, TablePages

LIMIT_S = 30.0
KIB = 1024
# What servers with page compression count about it, under the names of all versions.
COUNTERS = (
    "Innodb_page_compression_saved",
    "Innodb_num_pages_page_compressed",
    "Innodb_num_pages_page_decompressed",
    "Innodb_num_pages_page_compression_error",
    "Innodb_num_page_compressed_trim_op",
)
PACKING = ("compress_ops", "compress_ops_ok", "compress_time", "uncompress_ops", "uncompress_time")
NOT_TOLD = "this server has no such counter"
NOT_OURS = "someone else runs the server, and a walk through its buffer pool would hold others up"
GOES_ON = (
    "the server goes on into the next block, which a walk through its buffer pool would disturb"
)

TABLES = (
    "SELECT table_name, create_options FROM information_schema.tables WHERE table_schema = %s "
    "AND table_name <> %s AND engine = 'InnoDB' ORDER BY table_name"
)
TABLE_STATS = (
    "SELECT table_name, n_rows, clustered_index_size, sum_of_other_index_sizes "
    "FROM mysql.innodb_table_stats WHERE database_name = %s"
)
INDEX_STATS = (
    "SELECT table_name, index_name, stat_name, stat_value FROM mysql.innodb_index_stats "
    "WHERE database_name = %s AND stat_name IN ('size', 'n_leaf_pages')"
)
POOL = (
    "SELECT table_name, index_name, count(*), sum(data_size) "
    "FROM information_schema.innodb_buffer_page "
    "WHERE page_type = 'INDEX' AND table_name LIKE %s GROUP BY table_name, index_name"
)

Rows = list[tuple[Any, ...]]


@dataclass
class _Found:
    """What has been found so far."""

    page_bytes: dict[str, int]
    memory_page_bytes: int
    analyzed: bool = False
    tables: dict[str, dict[str, int]] = field(default_factory=dict)
    indexes: dict[tuple[str, str], dict[str, int]] = field(default_factory=dict)
    packing: dict[str, int] = field(default_factory=dict)
    counters: dict[str, int] = field(default_factory=dict)
    unavailable: dict[str, str] = field(default_factory=dict)

    def add(self, table: str, index: str, key: str, count: int) -> None:
        """Add to an index; partitions of a table count as one, and Dyno's mark is ignored."""
        table = whole_table(table)
        if table in self.page_bytes:
            figures = self.indexes.setdefault((table, index), {})
            figures[key] = figures.get(key, 0) + count


def is_asked(plan: Plan, arm: str, *, block: int, position: int) -> bool:
    """Whether a trial is its arm's last in the first block: then the arm's storage is read."""
    return block == 0 and plan.is_arms_last(arm, block=block, position=position)


def storage_of(bench: Bench, server: ReadableServer) -> Storage | None:
    """The arm's storage, as far as reading it disturbs nobody; None without InnoDB tables.

    Raises ServerError if the server doesn't answer at all.
    """
    ours, ends = bench.is_ours, bench.plan.protocol.restart != "never"
    # Updated statistics could change plans: only if nobody will query these data again.
    return read_storage(
        server,
        bench.schema,
        analyze=ours and ends and bench.plan.own_workload.writes,
        no_pool=NOT_OURS if not ours else None if ends else GOES_ON,
    )


def read_storage(
    server: ReadableServer, schema: str, *, analyze: bool, no_pool: str | None = None
) -> Storage | None:
    """For the schema's InnoDB tables; None if it has none. `analyze`: update their statistics
    first; `no_pool`: why the buffer pool must not be scanned.

    Raises ServerError if the server doesn't answer at all.
    """
    with closing(server.admin(schema)) as connection:
        asked = _Asking(server, connection)
        tables = asked.rows(TABLES, (schema, MARKER_TABLE))
        if not tables:
            return None
        ((_, size_text),) = asked.rows("SHOW GLOBAL STATUS LIKE 'Innodb_page_size'", ())
        size = int(size_text)
        found = _Found({name: page_bytes(options, size) for name, options in tables}, size)
        steps: dict[str, Callable[[_Asking, _Found, str], None]] = {
            "pages by table": _tables,
            "pages by index": _indexes,
            "buffer pool": _pool,
            "packing of rows": _packing,
            "page compression": _counters,
        }
        if analyze:
            steps = {"updating statistics": _analyze, **steps}
        if no_pool is not None:
            del steps["buffer pool"]
            found.unavailable["buffer pool"] = no_pool
        for name, step in steps.items():
            try:
                step(asked, found, schema)
            except SqlError as error:
                found.unavailable[name] = asked.why(error)
    return _storage(found)


def page_bytes(create_options: str, memory_page_bytes: int) -> int:
    """The size of a table's pages in its file, from the options it was made with."""
    packed = re.search(r"key_block_size=(\d+)", create_options or "", re.IGNORECASE)
    return int(packed[1]) * KIB if packed and int(packed[1]) else memory_page_bytes


def whole_table(name: str) -> str:
    """The table of a partition: "linktable#P#p0" belongs to linktable."""
    return name.partition("#")[0]


class _Asking:
    """One connection, on which a query that takes too long is killed."""

    def __init__(self, server: ReadableServer, connection: Connection) -> None:
        self.server = server
        self.connection = connection
        self.late = False
        self.session_id = session_id(connection)

    def rows(self, sql: str, values: tuple[object, ...]) -> Rows:
        """All rows of a query. Raises SqlError, also where it was killed."""
        with self._limited():
            return self.connection.rows(sql, *values)

    def why(self, error: SqlError) -> str:
        """Why there was no answer, in words."""
        return f"it took more than {LIMIT_S:g} s" if self.late else error.words

    @contextlib.contextmanager
    def _limited(self) -> Iterator[None]:
        self.late = False
        timer = threading.Timer(LIMIT_S, self._kill)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()

    def _kill(self) -> None:
        self.late = True
        kill(self.server, self.session_id)


def _analyze(asked: _Asking, found: _Found, schema: str) -> None:
    for table in found.page_bytes:
        asked.rows(f"ANALYZE NO_WRITE_TO_BINLOG TABLE `{table}`", ())
    found.analyzed = True


def _tables(asked: _Asking, found: _Found, schema: str) -> None:
    keys = ("rows_estimated", "clustered_pages", "other_pages")
    for name, *counts in asked.rows(TABLE_STATS, (schema,)):
        table = whole_table(name)
        if table in found.page_bytes:
            figures = found.tables.setdefault(table, dict.fromkeys(keys, 0))
            for key, count in zip(keys, counts, strict=True):
                figures[key] += int(count)


def _indexes(asked: _Asking, found: _Found, schema: str) -> None:
    for table, index, stat, count in asked.rows(INDEX_STATS, (schema,)):
        found.add(table, index, "pages" if stat == "size" else "leaf_pages", int(count))


def _pool(asked: _Asking, found: _Found, schema: str) -> None:
    for name, index, pages, data_bytes in asked.rows(POOL, (f"`{schema}`.%",)):
        quoted = re.match(r"`(.+?)`\.`(.+?)`", name)
        if quoted is not None and quoted[1] == schema:
            found.add(quoted[2], index, "pool_pages", int(pages))
            found.add(quoted[2], index, "pool_data_bytes", int(data_bytes))


def _packing(asked: _Asking, found: _Found, schema: str) -> None:
    sums = ", ".join(f"sum({name})" for name in PACKING)
    ((*values,),) = asked.rows(f"SELECT {sums} FROM information_schema.innodb_cmp", ())
    found.packing = {name: int(value or 0) for name, value in zip(PACKING, values, strict=True)}


def _counters(asked: _Asking, found: _Found, schema: str) -> None:
    marks = ", ".join(["%s"] * len(COUNTERS))
    rows = asked.rows(f"SHOW GLOBAL STATUS WHERE variable_name IN ({marks})", COUNTERS)
    found.counters = {str(name): int(value) for name, value in rows}
    for name in COUNTERS:
        if name not in found.counters:
            found.unavailable[name] = NOT_TOLD


def _storage(found: _Found) -> Storage:
    return Storage(
        memory_page_bytes=found.memory_page_bytes,
        analyzed=found.analyzed,
        tables=[
            TablePages(table=name, page_bytes=size, **found.tables.get(name, {}))
            for name, size in found.page_bytes.items()
        ],
        indexes=[
            IndexPages(table=table, index=index, **figures)
            for (table, index), figures in sorted(found.indexes.items())
        ],
        packing=found.packing,
        counters=found.counters,
        unavailable=found.unavailable,
    )
