"""How each arm's tables are kept and written, as tables and words for every report.

Derived from Findings alone. What a server doesn't report is missing with a reason, never 0.
"""

from __future__ import annotations

from collections.abc import Iterator

from dyno.analysis.model import Findings
from dyno.analysis.tables.model import IndexRead, LoadingRead, StorageRead, TableRead, WritesRead
from dyno.report import load, numbers
from dyno.report.section import Block, Lines, Section, Table, at_points
from dyno.report.sections import alike
from dyno.report.sections import points as cells
from dyno.report.sheets import Cell, Column, Group, Row, Sheet, given, missing
from dyno.spec.units import format_bytes

TITLE = "Tables, pages and bytes written"
TABLES_MEAN = (
    "At the end of trials, medians over them. What the server reports is what it reserved for rows "
    "and indexes. The length of a file is its apparent size; on disk is what the file system "
    "allocated for it. The two differ by the holes that page compression punches."
)
INDEXES_MEAN = (
    "In the first block, after the measuring. Pages are those reserved for an index, over all "
    "partitions of its table; leaves are those in use. Fill is what the records take of the "
    "index's pages that lay in the buffer pool, unpacked."
)
WRITES_MEAN = (
    "Of one op, medians over trials. To disk: what the kernel charged to the server's process; "
    "small writes into a cached file, such as a log, may be charged as much larger ones. InnoDB "
    "counts its own: log, pages, doublewrite. Rows changed are those inserted, updated and "
    "deleted. Amplification is what InnoDB wrote for a row changed, over the mean row of the "
    "baseline's tables without indexes: 1 would be the row alone."
)
PACKING_MEAN = (
    "Over the life of one server in the first block, the warm-up included. A page that doesn't "
    "fit after packing has failed: it is split, and packed again."
)
LOADING_MEAN = (
    "Loading the data with all the arm's settings, from CREATE TABLE to the last row and index; "
    "then the clean shutdown, which writes what is left in memory. Less is better. n counts loads."
)
TABLE_FIGURES = ("rows", "data_bytes", "index_bytes", "file_bytes", "disk_bytes")
INDEX_FIGURES = ("pages", "leaf_pages", "pool_pages", "fill")
WRITES = {
    "disk_written_kb": "To disk, kB",
    "disk_read_kb": "From disk, kB",
    "innodb_written_kb": "Written by InnoDB, kB",
    "innodb_read_kb": "Read by InnoDB, kB",
    "log_written_kb": "Redo log, kB",
    "doublewrite_pages": "Doublewrite pages",
    "fsyncs": "fsyncs",
    "pages_packed": "Pages packed (page compression)",
    "saved_kb": "Saved by page compression, kB",
    "rows_changed": "Rows changed",
    "written_per_row_bytes": "Written by InnoDB for a row changed, bytes",
    "write_amplification": "Amplification of writes",
}


def section(findings: Findings) -> Section | None:
    """Tables, indexes, bytes per op, packing, loads; None if no trial has any."""
    shown = load.points_shown(findings)
    made = [
        Table(tables(findings), TABLES_MEAN, "Tables on disk"),
        Table(indexes(findings), INDEXES_MEAN, "Indexes and their pages"),
        at_points(writes, findings, WRITES_MEAN, "Written for an op", shown),
        Table(packing(findings), PACKING_MEAN, "Packing pages"),
        Table(loading(findings), LOADING_MEAN, "Loading the data"),
    ]
    found = [table for table in made if table.sheet.rows]
    if not found:
        return None
    not_there = Lines(list(unavailable(findings)), "quiet", is_brief=False)
    blocks: list[Block] = [Lines(list(lines(findings))), *found, not_there]
    return Section("storage", TITLE, blocks, label="Tables and pages")


def lines(findings: Findings) -> Iterator[str]:
    """A line per arm: what its tables occupy on disk, of how much, and how long they load."""
    for read in findings.storage:
        words = []
        on_disk, length = _sum(read, "disk_bytes"), _sum(read, "file_bytes")
        if on_disk is not None and length is not None:
            words.append(f"{format_bytes(on_disk)} on disk in files of {format_bytes(length)}")
        if read.loading is not None:
            words.append(f"loaded in {numbers.seconds(read.loading.median_s)}")
        if words:
            yield f"{read.arm}: {', '.join(words)}"


def unavailable(findings: Findings) -> Iterator[str]:
    """What is missing and why, with arms grouped by reason."""
    why: dict[tuple[str, str], list[str]] = {}
    for read in findings.storage:
        for name, reason in read.unavailable.items():
            why.setdefault((name, reason), []).append(read.arm)
    for (name, reason), arms in why.items():
        yield f"{name}: unavailable on {', '.join(arms)}: {reason}"


def tables(findings: Findings) -> Sheet:
    """Rows and sizes by arm and table."""
    columns = [
        Column("Rows"),
        Column("By the server, rows"),
        Column("and indexes"),
        Column("Length of files"),
        Column("On disk", "less is better"),
        Column("Holes"),
    ]
    groups = [
        Group(
            read.arm,
            list(alike.rows(read.tables, lambda table: table.table, _table, TABLE_FIGURES)),
        )
        for read in findings.storage
        if read.tables
    ]
    return Sheet("Tables on disk", "Table", columns, groups, "Arm")


def indexes(findings: Findings) -> Sheet:
    """Pages and fill by arm and index."""
    columns = [
        Column("Pages"),
        Column("Leaves in use"),
        Column("In the buffer pool"),
        Column("Fill"),
    ]
    groups = [
        Group(
            read.arm,
            list(alike.rows(read.indexes, lambda i: f"{i.table}.{i.index}", _index, INDEX_FIGURES)),
        )
        for read in findings.storage
        if read.indexes
    ]
    return Sheet("Indexes and their pages", "Index", columns, groups, "Arm")


def writes(findings: Findings, *, all_points: bool = False) -> Sheet:
    """Quantities down, arms across, a group per point; few points unless `all_points`."""
    found = {(read.arm, w.point): w for read in findings.storage for w in read.writes}
    points = [p for p in load.points_of(findings) if any(key[1] == p.index for key in found)]
    if not all_points:
        points = load.spread(points, load.CHOSEN_POINTS)
    arms = [read.arm for read in findings.storage if read.writes]
    groups = [
        Group(
            point.label,
            [
                Row(title, [_written(found.get((arm, point.index)), key) for arm in arms])
                for key, title in WRITES.items()
            ],
        )
        for point in points
    ]
    return Sheet("Written for an op", "Of one op", [Column(a) for a in arms], groups, "Point")


def packing(findings: Findings) -> Sheet:
    """Row compression and page compression by arm; only arms with any figure."""
    columns = [
        Column("Row: pages packed"),
        Column("failed", "less is better"),
        Column("Page: pages packed"),
        Column("failed", "less is better"),
        Column("Saved"),
    ]
    rows = [
        Row(read.arm, _packed(read))
        for read in findings.storage
        if any(read.packing.values()) or any(read.counters.values())
    ]
    return Sheet("Packing pages", "Arm", columns, [Group("", rows)])


def loading(findings: Findings) -> Sheet:
    """Timed loads by arm."""
    columns = [
        Column("Median", "less is better"),
        Column("Shortest to longest"),
        Column("Shutdown after it"),
        Column("Written meanwhile"),
        Column("n, loads"),
    ]
    rows = [
        Row(read.arm, _loading(read.loading))
        for read in findings.storage
        if read.loading is not None
    ]
    return Sheet("Loading the data", "Arm", columns, [Group("", rows)])


def _table(table: TableRead) -> list[Cell]:
    holes = missing()
    if table.file_bytes and table.disk_bytes is not None:
        # A block allocated beyond a file's end isn't a hole.
        holes = given(numbers.percent(max(0.0, 1 - table.disk_bytes / table.file_bytes)))
    return [
        missing("not counted") if table.rows is None else given(f"{table.rows:,.0f}"),
        cells.size(table.data_bytes),
        cells.size(table.index_bytes),
        cells.size(table.file_bytes),
        cells.size(table.disk_bytes),
        holes,
    ]


def _index(index: IndexRead) -> list[Cell]:
    return [
        _count(index.pages),
        _count(index.leaf_pages),
        _count(index.pool_pages),
        missing() if index.fill is None else given(numbers.percent(index.fill)),
    ]


def _written(read: WritesRead | None, key: str) -> Cell:
    value = read.figures.get(key) if read is not None else None
    return missing() if value is None else given(numbers.significant(value))


def _packed(read: StorageRead) -> list[Cell]:
    rows, pages = read.packing, read.counters
    ops, failed = rows.get("compress_ops"), rows.get("compress_ops_failed")
    share = numbers.percent(failed / ops) if ops and failed is not None else ""
    return [
        _count(ops),
        missing() if failed is None else given(f"{failed:,}", share),
        _count(pages.get("Innodb_num_pages_page_compressed")),
        _count(pages.get("Innodb_num_pages_page_compression_error")),
        cells.size(pages.get("Innodb_page_compression_saved")),
    ]


def _loading(read: LoadingRead | None) -> list[Cell]:
    assert read is not None
    span = numbers.span(read.min_s, read.max_s, numbers.seconds)
    return [
        given(numbers.seconds(read.median_s)),
        given(span),
        given(numbers.seconds(read.stop_s)),
        cells.size(read.written_bytes),
        given(str(read.n)),
    ]


def _count(value: float | None) -> Cell:
    return missing() if value is None else given(f"{value:,.0f}")


def _sum(read: StorageRead, key: str) -> float | None:
    """For all tables; None if it is unknown for one of them."""
    values: list[float | None] = [getattr(table, key) for table in read.tables]
    known = [value for value in values if value is not None]
    return sum(known) if known and len(known) == len(values) else None
