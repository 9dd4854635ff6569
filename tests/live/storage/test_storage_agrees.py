"""File blocks and page counts against the server's own figures, within the bounds that are stated.

Three servers; the table is uncompressed, row-compressed and page-compressed. Where the bounds come
from stands beside them.
"""

from __future__ import annotations

import pytest
from keepers import ROWS, SCHEMA, TEXT_BYTES, Keeper

from dyno.runner import pages
from dyno.runner.pages import COUNTERS, NOT_TOLD
from dyno.store.storage import IndexPages, Storage

PAGE = 16384
# A row's header, id, k, and the hidden columns of a clustered index.
ROW_BYTES = TEXT_BYTES + 1 + 5 + 4 + 4 + 6 + 7
# Of 64 pages each: two that InnoDB keeps back from data_free, and those that hold single pages.
EXTENTS_APART = 4
PAGES_AN_EXTENT = 64
# A small index has few pages above its leaves.
PAGES_ABOVE = 3
# A file's own pages, which are never packed, those of an index that aren't leaves, and blocks of
# the file system that aren't full.
PAGES_APART = 16
# A file system's account of where a file's blocks are: a block of ext4 names 340 runs of blocks,
# and on a disk in pieces a run may be one block.
MAP_SHARE = 1 / 340
SAVED, PACKED = "Innodb_page_compression_saved", "Innodb_num_pages_page_compressed"
ROW_COMPRESSED = "ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=8"


def index(storage: Storage, name: str) -> IndexPages:
    (found,) = [i for i in storage.indexes if i.index == name]
    return found


def check_pages(keeper: Keeper, page_bytes: int) -> Storage:
    """What holds however the table is kept: server, pages and file tell one story."""
    storage, size = keeper.pages(), keeper.size()
    (table,) = storage.tables
    primary, k = index(storage, "PRIMARY"), index(storage, "k")
    assert storage.analyzed
    assert (storage.memory_page_bytes, table.page_bytes) == (PAGE, page_bytes)
    assert size.rows == ROWS
    # The server's two accounts of pages are one, exactly: they are of the same ANALYZE.
    assert (table.clustered_pages, table.other_pages) == (primary.pages, k.pages)
    assert size.data_bytes == (primary.pages or 0) * page_bytes
    assert size.index_bytes == (k.pages or 0) * page_bytes
    # 20 pages are sampled for the estimate, of rows of one length.
    assert table.rows_estimated == pytest.approx(ROWS, rel=0.1)
    for found in (primary, k):
        assert found.pages is not None
        assert found.leaf_pages is not None
        # InnoDB takes another extent once less than an eighth of what it has reserved is free.
        spare = found.leaf_pages / 7 + PAGES_AN_EXTENT + PAGES_ABOVE
        assert found.leaf_pages < found.pages <= found.leaf_pages + spare
    # The file holds all pages that are reserved, and those that are free.
    assert size.file_bytes is not None
    reserved = size.data_bytes + size.index_bytes
    free = keeper.number(
        "SELECT data_free FROM information_schema.tables "
        f"WHERE table_schema = '{SCHEMA}' AND table_name = 't'"
    )
    apart = EXTENTS_APART * PAGES_AN_EXTENT * page_bytes
    assert reserved + free <= size.file_bytes <= reserved + free + apart
    return storage


def check_pool(storage: Storage) -> None:
    """The pool is larger than the table, whose pages are all in it."""
    for name in ("PRIMARY", "k"):
        found = index(storage, name)
        assert found.pages is not None
        assert found.leaf_pages is not None
        assert found.pool_pages is not None
        assert found.leaf_pages <= found.pool_pages <= found.pages
    primary = index(storage, "PRIMARY")
    assert primary.pool_data_bytes == pytest.approx(ROWS * ROW_BYTES, rel=0.05)


def test_an_uncompressed_table(keeper: Keeper) -> None:
    keeper.fill("")
    storage = check_pages(keeper, PAGE)
    check_pool(storage)
    keeper.flush()
    size = keeper.size()
    assert size.file_bytes is not None
    assert size.disk_bytes is not None
    # Without holes: a file's blocks are its length, but for what the file system adds of its own.
    own = PAGE + MAP_SHARE * size.file_bytes
    assert size.disk_bytes == pytest.approx(size.file_bytes, abs=own)
    if keeper.name.startswith("mysql"):
        assert storage.counters == {}
        assert {storage.unavailable[name] for name in COUNTERS} == {NOT_TOLD}
    else:
        assert storage.counters[SAVED] == 0
        assert not set(COUNTERS) & storage.unavailable.keys()


def test_a_row_compressed_table(keeper: Keeper) -> None:
    keeper.fill(ROW_COMPRESSED)
    storage = check_pages(keeper, PAGE // 2)
    assert storage.packing["compress_ops"] >= storage.packing["compress_ops_ok"] > 0
    assert keeper.size().file_bytes < ROWS * ROW_BYTES


def test_a_page_compressed_table(keeper: Keeper) -> None:
    if keeper.name.startswith("mysql"):
        with pytest.raises(Exception, match=r"syntax|Unknown|unknown"):
            keeper.fill("PAGE_COMPRESSED=1")
        return
    keeper.fill("")
    keeper.flush()
    saved_before, packed_before = keeper.status(SAVED), keeper.status(PACKED)
    keeper.sql(f"ALTER TABLE {SCHEMA}.t PAGE_COMPRESSED=1, ALGORITHM=COPY")
    keeper.flush()
    saved, packed = keeper.status(SAVED) - saved_before, keeper.status(PACKED) - packed_before
    size, storage = keeper.size(), check_pages(keeper, PAGE)
    assert size.file_bytes is not None
    assert size.disk_bytes is not None
    holes = size.file_bytes - size.disk_bytes
    assert saved > 0.3 * packed * PAGE
    assert storage.counters[PACKED] >= packed_before + packed
    if keeper.name == "mariadb-10.1.8":
        # This build was made without fallocate(): it says so in its log, and writes less, no more.
        assert keeper.number("SELECT @@innodb_use_trim") == 0
        assert "fallocate not supported" in keeper.server.error_log.read_text()
        assert abs(holes) <= PAGE
        return
    # The holes are what the server saved, beside the pages that it never wrote. It counts all its
    # writes: each that wrote a page again lets the file seem fuller, by up to a page.
    seeming = saved + size.file_bytes - packed * PAGE
    again = packed - sum(found.leaf_pages or 0 for found in storage.indexes)
    assert again >= 0
    assert -PAGES_APART * PAGE <= holes - seeming <= (again + PAGES_APART) * PAGE


def test_a_question_that_takes_too_long_is_killed(
    keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper.fill("")
    monkeypatch.setattr(pages, "LIMIT_S", 0.5)
    endless = "SELECT min(a.v), 'k', count(*), 1 FROM t a, t b WHERE a.v <> b.v AND b.v <> %s"
    monkeypatch.setattr(pages, "POOL", endless)
    storage = keeper.pages()
    assert storage.unavailable["buffer pool"] == "it took more than 0.5 s"
    assert index(storage, "PRIMARY").pages
    left = "SELECT count(*) FROM information_schema.processlist WHERE info LIKE '%a.v <> b.v%'"
    assert keeper.number(left) == 1  # This question itself.
