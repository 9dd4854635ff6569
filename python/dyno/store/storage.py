"""What a trial stores about how an engine keeps its tables (pages, fill, packing) and what loading
the data took. Sizes of tables in bytes are in `TableSize`.
"""

from __future__ import annotations

from dyno.store.part import Stored


class TablePages(Stored):
    """An InnoDB table over all its partitions, according to mysql.innodb_table_stats.

    `page_bytes` is the size of a page in its file; `rows_estimated` is InnoDB's own estimate. Pages
    are those reserved for the rows (the clustered index) and for the other indexes.
    """

    table: str
    page_bytes: int
    rows_estimated: int | None = None
    clustered_pages: int | None = None
    other_pages: int | None = None


class IndexPages(Stored):
    """An InnoDB index over all partitions of its table; None where the server doesn't report it.

    `pages` are reserved for it, of which `leaf_pages` are leaves in use (mysql.innodb_index_stats).
    `pool_pages` are in the buffer pool and hold `pool_data_bytes` of uncompressed records.
    """

    table: str
    index: str
    pages: int | None = None
    leaf_pages: int | None = None
    pool_pages: int | None = None
    pool_data_bytes: int | None = None


class Storage(Stored):
    """How InnoDB keeps an arm's tables, read once per arm, after everything that is measured.

    `memory_page_bytes` is the size of a page in the buffer pool. `analyzed`: statistics were
    updated first. `packing` holds the sums of information_schema.innodb_cmp (row compression: ops
    and seconds), `counters` the server's status of page compression; both since the server's start.
    `unavailable` says why something is missing.
    """

    memory_page_bytes: int | None = None
    analyzed: bool = False
    tables: list[TablePages] = []
    indexes: list[IndexPages] = []
    packing: dict[str, int] = {}
    counters: dict[str, int] = {}
    unavailable: dict[str, str] = {}


class Loading(Stored):
    """Loading an arm's data again, with all the arm's settings, into a separate server.

    `load_s` is from the first CREATE TABLE to the last row and index, `stop_s` the clean shutdown
    after it, which writes what is left in memory. `written_bytes`: by the server in `load_s`.
    """

    load_s: float
    stop_s: float
    written_bytes: int | None = None
