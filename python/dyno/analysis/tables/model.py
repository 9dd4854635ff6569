"""What findings say about how an arm's tables are kept and written. None never stands for 0."""

from __future__ import annotations

from dyno.analysis.part import FindingsPart


class TableRead(FindingsPart):
    """A table at the end of trials, medians over them. `data_bytes` and `index_bytes` are reported
    by the server, `file_bytes` is the length of its files, `disk_bytes` the blocks that those
    occupy.
    """

    table: str
    engine: str
    rows: float | None = None
    data_bytes: float | None = None
    index_bytes: float | None = None
    file_bytes: float | None = None
    disk_bytes: float | None = None


class IndexRead(FindingsPart):
    """An InnoDB index in the first block: pages reserved, leaves in use, those in the buffer pool.

    `fill`: the share of its pages in the buffer pool that uncompressed records fill.
    """

    table: str
    index: str
    pages: int | None = None
    leaf_pages: int | None = None
    pool_pages: int | None = None
    fill: float | None = None


class WritesRead(FindingsPart):
    """What an op wrote and read at a point: medians over `trials`, None where unknown.

    Keys, in order: disk_written_kb, disk_read_kb (kB, 1000 bytes, of the server's process),
    innodb_written_kb (log and pages, by its own count), innodb_read_kb, log_written_kb,
    doublewrite_pages, fsyncs, pages_packed (by page compression), saved_kb, rows_changed (inserted,
    updated and deleted), written_per_row_bytes (innodb_written_kb over rows_changed),
    write_amplification (that over the mean row of the baseline's tables, without indexes).
    """

    point: int
    trials: int
    figures: dict[str, float | None]


class LoadingRead(FindingsPart):
    """Timed loads of the data: seconds by block, their median, least and most; medians of the clean
    shutdown after it and of what the server's process wrote meanwhile.
    """

    n: int
    median_s: float
    min_s: float
    max_s: float
    stop_s: float
    written_bytes: float | None = None


class StorageRead(FindingsPart):
    """How an arm's tables are kept. `packing` and `counters` cover one server's life in the first
    block: row compression (ops, including failed ones, and seconds) and page compression.

    `row_bytes`: the mean row, pages of the rows over InnoDB's estimate of their number.
    `unavailable` says what is missing, and why.
    """

    arm: str
    analyzed: bool = False
    row_bytes: float | None = None
    tables: list[TableRead] = []
    indexes: list[IndexRead] = []
    writes: list[WritesRead] = []
    packing: dict[str, int] = {}
    counters: dict[str, int] = {}
    loading: LoadingRead | None = None
    unavailable: dict[str, str] = {}


class SizeRead(FindingsPart):
    """The tables of an arm together, at the end of trials: medians over them, None where unknown.

    `bytes_per_row` is based on what the files occupy on disk or, if tables don't have their own
    files (`by_files` is false), on the server's figures, with the least and the most of all trials.
    """

    arm: str
    engines: list[str]
    trials: int
    rows: float
    data_bytes: float | None
    index_bytes: float | None
    disk_bytes: float | None
    by_files: bool
    bytes_per_row: float
    bytes_per_row_min: float
    bytes_per_row_max: float
