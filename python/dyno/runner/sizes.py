"""How large the tables are at the end of a trial: as the server reports, and by their files.

Asked after everything that is measured. A server that goes on into the next trial is only asked
what it knows: counting rows would change what is in its caches.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from dyno.client import reads_answers
from dyno.servers import MARKER_TABLE, ReadableServer
from dyno.store.trial import TableSize

# Files that describe a table and hold none of its rows.
DESCRIBES = frozenset((".frm", ".par", ".opt"))
BLOCK_BYTES = 512
ASK = (
    "SELECT table_name, engine, data_length, index_length, table_collation "
    "FROM information_schema.tables "
    "WHERE table_schema = %s AND table_name <> %s AND table_type = 'BASE TABLE' "
    "ORDER BY table_name"
)


@reads_answers
def table_sizes(
    server: ReadableServer, schema: str, *, data_dir: Path | None, stays: bool
) -> list[TableSize]:
    """For each table of the schema except Dyno's mark. `data_dir` is None if files can't be read.

    Raises ServerError as the connection does.
    """
    with closing(server.admin(schema)) as connection:
        found = connection.rows(ASK, schema, MARKER_TABLE)
        if not stays and any(engine == "ROCKSDB" for _, engine, *_ in found):
            # It has no files of a table's own, and reports nothing of what is only in memory.
            connection.run("SET GLOBAL rocksdb_force_flush_memtable_now = 1")
            found = connection.rows(ASK, schema, MARKER_TABLE)
        rows: dict[str, int | None] = {}
        for name, *_ in found:
            if stays:
                rows[name] = None
                continue
            connection.run(f"FLUSH TABLES `{name}`")
            rows[name] = connection.row(f"SELECT count(*) FROM `{name}`")[0]
    return [
        TableSize(
            table=name,
            engine=engine or "unknown",
            rows=rows[name],
            data_bytes=data,
            index_bytes=index,
            collation=collation,
            **(_files(data_dir / schema, name) if data_dir is not None else {}),
        )
        for name, engine, data, index, collation in found
    ]


def _files(folder: Path, table: str) -> dict[str, int]:
    """Length and allocated bytes of the files with rows; nothing if there are none."""
    found = list(_with_rows(folder, table))
    if not found:
        return {}
    sizes = [path.stat() for path in found]
    return {
        "file_bytes": sum(size.st_size for size in sizes),
        "disk_bytes": sum(size.st_blocks * BLOCK_BYTES for size in sizes),
    }


def _with_rows(folder: Path, table: str) -> Iterator[Path]:
    """For a partitioned table the names continue after `#`."""
    for path in folder.iterdir():
        name = path.name.partition(".")[0].partition("#")[0]
        if name == table and path.suffix not in DESCRIBES:
            yield path
