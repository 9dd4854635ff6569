"""How tables are kept and written: known pages, bytes and loads in, the right figures out."""

from __future__ import annotations

from pathlib import Path

import pytest
from load_runs import SECONDS, at_rate, load_run, plan
from spec_samples import LOAD

from dyno.analysis import find
from dyno.analysis.model import Findings
from dyno.analysis.tables.storage import LOG, PAGES, written_bytes
from dyno.store.storage import IndexPages, Loading, Storage, TablePages
from dyno.store.trial import ServerRead, TableSize, Trial

# A run of each test is made and judged whole: seconds, not for the quick loop.
pytestmark = pytest.mark.slow

ONE = (
    LOAD.replace("[sweep]\nconnections = [1, 8, 64]\n", "")
    .replace("connections = [1, 8]\n", "")
    .replace("[protocol]", "[protocol]\nconnections = 8\nloads = 8")
)
CLAIMS = """
[[claim]]
says = "b loads faster"
metric = "load_time"
ratio_of = ["b", "a"]
at_most = 0.8
[[claim]]
says = "b runs more evenly"
metric = "steadiness"
ratio_of = ["b", "a"]
at_most = 0.9
"""
PAGE = 16384
OPS = 300 * SECONDS


def kept(arm: str) -> Storage:
    """100 pages of rows on a, of which one takes 1,638.4 bytes; b says less."""
    pages = 100 if arm == "a" else None
    return Storage(
        memory_page_bytes=PAGE,
        analyzed=True,
        tables=[
            TablePages(
                table="t",
                page_bytes=PAGE,
                rows_estimated=1000,
                clustered_pages=pages,
                other_pages=20,
            )
        ],
        indexes=[
            IndexPages(
                table="t",
                index="PRIMARY",
                pages=pages,
                leaf_pages=90,
                pool_pages=40,
                pool_data_bytes=30 * PAGE,
            ),
            IndexPages(table="t", index="k", pages=20),
        ],
        packing={"compress_ops": 50, "compress_ops_ok": 47},
        counters={"Innodb_page_compression_saved": 8192} if arm == "b" else {},
        unavailable={} if arm == "b" else {"Innodb_page_compression_saved": "no such counter"},
    )


def stored(trial: Trial) -> Trial:
    """Each op changes a row and writes 4,000 bytes; b's data load in 6 s, a's in 10."""
    status = trial.status_by_phase["measure"]
    status = {**status, "Innodb_rows_updated": OPS, "Innodb_data_written": 3000 * OPS}
    status["Innodb_os_log_written"] = 500 * OPS
    size = TableSize(
        table="t",
        engine="InnoDB",
        rows=1000,
        data_bytes=100 * PAGE,
        index_bytes=20 * PAGE,
        file_bytes=200 * PAGE,
        disk_bytes=(200 if trial.arm == "a" else 50) * PAGE,
    )
    seconds = (6.0 if trial.arm == "b" else 10.0) + trial.block / 100
    return trial.model_copy(
        update={
            "status_by_phase": {"measure": status},
            "sizes": [size],
            "storage": kept(trial.arm) if trial.block == 0 else None,
            "loading": Loading(load_s=seconds, stop_s=1.5, written_bytes=7_000_000),
        }
    )


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    rates = at_rate(lambda arm, point: 300.0, noise=0.001)
    folder = load_run(
        tmp_path_factory.mktemp("storage"),
        rates,
        blocks=8,
        plan=plan(ONE + CLAIMS),
        change=stored,
    )
    return find(folder)


def test_tables_indexes_and_fill_are_found(found: Findings) -> None:
    a, b = found.storage
    (table,) = b.tables
    assert (table.rows, table.file_bytes, table.disk_bytes) == (1000, 200 * PAGE, 50 * PAGE)
    assert [(i.index, i.pages, i.fill) for i in a.indexes] == [
        ("PRIMARY", 100, pytest.approx(0.75)),
        ("k", 20, None),
    ]
    assert a.row_bytes == pytest.approx(1638.4)
    assert b.row_bytes is None, "unknown pages are not none"
    assert a.packing["compress_ops_failed"] == 3
    assert b.counters == {"Innodb_page_compression_saved": 8192}
    assert list(a.unavailable) == ["Innodb_page_compression_saved"]


def test_bytes_written_are_of_an_op_and_amplified_over_a_row(found: Findings) -> None:
    (writes,) = found.storage[0].writes
    assert writes.trials == 8
    assert writes.figures["disk_written_kb"] == pytest.approx(4)
    assert writes.figures["innodb_written_kb"] == pytest.approx(3, rel=0.02)
    assert writes.figures["rows_changed"] == pytest.approx(1, rel=0.02)
    assert writes.figures["written_per_row_bytes"] == pytest.approx(3000, rel=0.02)
    assert writes.figures["write_amplification"] == pytest.approx(3000 / 1638.4, rel=0.02)
    assert writes.figures["saved_kb"] is None, "a counter that nobody saw move is unknown"


@pytest.mark.parametrize(
    ("product", "version", "written"),
    [("mysql", "5.6.24", 300), ("mariadb", "10.1.8", 300), ("mariadb", "10.11.5", 400)],
)
def test_the_log_is_counted_once(product: str, version: str, written: float) -> None:
    read = ServerRead(name="s", product=product, version=version, fingerprint="f")
    trial = Trial.model_construct(server=read)
    assert written_bytes(trial, {LOG: 100.0, PAGES: 300.0}) == written
    assert written_bytes(trial, {PAGES: 300.0}) is None


def test_loads_are_timed_compared_and_claimed(found: Findings) -> None:
    loading = found.storage[1].loading
    assert loading is not None
    assert (loading.n, loading.stop_s, loading.written_bytes) == (8, 1.5, 7_000_000)
    assert loading.median_s == pytest.approx(6.035)
    (compared,) = [c for c in found.compared if c.metric == "load_time"]
    assert (compared.n, compared.state, compared.point_label) == (8, "different", "")
    assert compared.ratio
    assert compared.ratio.value == pytest.approx(0.6, rel=0.01)
    assert compared.sentence.startswith("b's load time is 40 % lower than a's (")
    assert [c.verdict for c in found.claims][:1] == ["reproduced"]


def test_steadiness_is_the_variation_of_seconds(found: Findings) -> None:
    (compared,) = [c for c in found.compared if c.metric == "steadiness"]
    assert compared.n == 8
    cv = {read.arm: read.cv for read in found.stability}
    assert cv["a"] is not None
    assert cv["b"] is not None
    assert compared.ratio
    assert compared.ratio.value == pytest.approx(cv["b"] / cv["a"], rel=0.5)


def test_runs_without_storage_figures_have_no_part(tmp_path: Path) -> None:
    rates = at_rate(lambda arm, point: 300.0)
    assert find(load_run(tmp_path, rates, blocks=1, plan=plan(ONE))).storage == []
