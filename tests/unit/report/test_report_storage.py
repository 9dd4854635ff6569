"""How tables are kept and written, in every form of the report."""

from __future__ import annotations

import load_fixtures as loads
import pytest
from html_reading import read_html
from rich.console import Console

from dyno.analysis.model import Findings
from dyno.analysis.tables.model import IndexRead, LoadingRead, StorageRead, TableRead, WritesRead
from dyno.report import render_html, render_markdown, render_terminal
from dyno.report.sections import storage

MIB = 1 << 20


def kept() -> Findings:
    """The first arm reports all, the second little, the others nothing."""
    made = loads.sweep()
    first, second = (arm.name for arm in made.arms[:2])
    whole = StorageRead(
        arm=first,
        tables=[
            TableRead(
                table="linktable",
                engine="InnoDB",
                rows=1_000_000,
                data_bytes=60 * MIB,
                index_bytes=30 * MIB,
                file_bytes=100 * MIB,
                disk_bytes=40 * MIB,
            )
        ],
        indexes=[
            IndexRead(table="linktable", index="id1_type", pages=1920, leaf_pages=1800, fill=0.685)
        ],
        writes=[
            WritesRead(
                point=made.points[0].index,
                trials=8,
                figures={"disk_written_kb": 4.5, "write_amplification": 31.0, "saved_kb": None},
            )
        ],
        packing={"compress_ops": 2000, "compress_ops_ok": 1900, "compress_ops_failed": 100},
        counters={"Innodb_page_compression_saved": 5 * MIB},
        loading=LoadingRead(n=8, median_s=12.3, min_s=11.0, max_s=15.2, stop_s=2.0),
    )
    little = StorageRead(arm=second, unavailable={"buffer pool": "it took more than 30 s"})
    return made.model_copy(update={"storage": [whole, little]})


def test_markdown_has_all_tables_and_what_is_missing() -> None:
    page = render_markdown(kept())
    for title in ("Tables on disk", "Indexes and their pages", "Written for an op", "Loading"):
        assert title in page
    (line,) = [row for row in page.splitlines() if "`linktable`" in row]
    assert "1,000,000 | 60.0 MiB | 30.0 MiB | 100.0 MiB | 40.0 MiB | 60 %" in line
    (line,) = [row for row in page.splitlines() if "linktable.id1_type" in row]
    assert "1,920 | 1,800 | — | 68 %" in line or "1,920 | 1,800 | — | 69 %" in line
    assert "100 (5.0 %)" in page
    assert "11.0 s to 15.2 s" in page
    assert "buffer pool: unavailable on MariaDB 10.1.8: it took more than 30 s" in page


def test_what_is_unknown_is_missing_and_not_zero() -> None:
    sheet = storage.writes(kept())
    rows = {row.name: row.cells for row in sheet.groups[0].rows}
    assert rows["Saved by page compression, kB"][0].missing
    assert rows["Amplification of writes"][0].text == "31.0"


@pytest.mark.slow
def test_html_has_the_part_and_leads_to_it() -> None:
    page = read_html(render_html(kept()))
    assert "storage" in page.ids
    assert "#storage" in page.links
    assert "storage" not in read_html(render_html(loads.sweep())).ids


def test_the_terminal_says_it_in_a_line_an_arm() -> None:
    console = Console(width=100, record=True)
    with console.capture() as capture:
        console.print(render_terminal(kept()))
    said = capture.get()
    assert "40.0 MiB on disk in files of 100.0 MiB, loaded in 12.3 s" in said


@pytest.mark.parametrize("part", ["Tables on disk", "Loading the data"])
def test_runs_without_it_have_no_part(part: str) -> None:
    assert part not in render_markdown(loads.sweep())


def with_tables(rows: list[float | None]) -> Findings:
    """The first arm has tables sbtest1 and so on, with these rows, and an index on each."""
    made = loads.sweep()
    names = [f"sbtest{place}" for place in range(1, len(rows) + 1)]
    # As a server lists them.
    order = sorted(range(len(rows)), key=lambda place: names[place])
    tables = [TableRead(table=names[p], engine="InnoDB", rows=rows[p]) for p in order]
    indexes = [IndexRead(table=names[p], index=f"k_{p + 1}", pages=100) for p in order]
    read = StorageRead(arm=made.arms[0].name, tables=tables, indexes=indexes)
    return made.model_copy(update={"storage": [read]})


def test_equal_tables_are_one_row() -> None:
    run = with_tables([40_000.0] * 15 + [40_100.0])
    (row,) = storage.tables(run).groups[0].rows
    assert (row.name, row.flag) == ("sbtest1 … sbtest16", "each of 16")
    assert row.cells[0].text == "40,000"
    (row,) = storage.indexes(run).groups[0].rows
    assert (row.name, row.flag) == ("sbtest1.k_1 … sbtest16.k_16", "each of 16")
    assert "`sbtest1 … sbtest16` (each of 16)" in render_markdown(run)


@pytest.mark.parametrize("rows", [[40_000.0] * 2, [40_000.0] * 3 + [50_000.0], [4.0, None, 4.0]])
def test_tables_that_differ_or_are_few_keep_their_rows(rows: list[float | None]) -> None:
    (group,) = storage.tables(with_tables(rows)).groups
    assert len(group.rows) == len(rows)
