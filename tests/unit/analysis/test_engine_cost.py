"""The engine above its floor, and sizes of tables: planted truth in, shares with intervals out."""

from __future__ import annotations

from pathlib import Path

import pytest
from load_runs import at_rate, load_run, plan
from spec_samples import LOAD

from dyno.analysis import find
from dyno.analysis.costs.model import EngineCost
from dyno.analysis.model import Findings
from dyno.store.trial import TableSize, Trial

pytestmark = pytest.mark.slow

FLOORED = LOAD.replace('name = "b"', 'name = "b"\nfloor = "a"')
SMALLER = """
[[claim]]
says = "b's rows take half of a's"
metric = "bytes_per_row"
ratio_of = ["b", "a"]
at = 8
at_most = 0.6
"""


def of_table(trial: Trial) -> Trial:
    """A hundred bytes a row on a, 40 on b; b's server says more than its files take."""
    rows, each = 1000 + trial.block, {"a": 100, "b": 40}[trial.arm]
    size = TableSize(
        table="t",
        engine="ENGINE",
        rows=rows,
        data_bytes=2 * rows * each,
        index_bytes=0,
        file_bytes=rows * each,
        disk_bytes=rows * each,
    )
    return trial.model_copy(update={"sizes": [size]})


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    """a, the floor, does 1000 ops a second, b 800: a fifth of b's time is its engine's."""
    folder = load_run(
        tmp_path_factory.mktemp("floored"),
        at_rate(lambda arm, point: 1000.0 if arm == "a" else 800.0),
        blocks=8,
        plan=plan(FLOORED + SMALLER),
        change=of_table,
    )
    return find(folder)


def cost(findings: Findings, quantity: str, point: int) -> EngineCost:
    (one,) = [c for c in findings.engine_costs if (c.quantity, c.point) == (quantity, point)]
    return one


def test_a_planted_share_of_time_is_found_with_its_interval(found: Findings) -> None:
    time = cost(found, "time", 1)
    assert (time.arm, time.floor, time.n) == ("b", "a", 8)
    assert time.share is not None
    assert time.share.value == pytest.approx(0.2, abs=0.005)
    assert time.share.interval is not None
    low, high = time.share.interval
    assert 0 < low <= time.share.value <= high < 1
    # 8 connections at 800 and 1000 ops a second.
    assert time.arm_us == pytest.approx(10_000, rel=0.01)
    assert time.floor_us == pytest.approx(8_000, rel=0.01)


def test_cpu_is_split_too(found: Findings) -> None:
    """Both arms took 10 s of CPU in 20 s: for b's fewer ops that is more an op."""
    cpu = cost(found, "server_cpu", 0)
    assert cpu.arm_us == pytest.approx(10e6 / 16_000, rel=0.02)
    assert cpu.share is not None
    assert cpu.share.value == pytest.approx(0.2, abs=0.01)


def test_only_arms_with_a_floor_are_split(found: Findings) -> None:
    assert {c.arm for c in found.engine_costs} == {"b"}
    assert len(found.engine_costs) == 2 * len(found.points)


def test_before_the_first_look_there_is_no_interval(tmp_path: Path) -> None:
    folder = load_run(
        tmp_path,
        at_rate(lambda arm, point: 1000.0),
        blocks=3,
        plan=plan(FLOORED),
        state="running",
    )
    assert {c.share for c in find(folder).engine_costs} == {None}


def test_sizes_are_of_files_and_a_claim_can_be_about_them(found: Findings) -> None:
    sizes = {size.arm: size for size in found.sizes}
    assert sizes["a"].bytes_per_row == 100
    assert (sizes["b"].bytes_per_row, sizes["b"].by_files) == (40, True)
    assert sizes["b"].data_bytes == 2 * sizes["b"].disk_bytes  # type: ignore[operator]
    (claim,) = found.claims
    assert claim.verdict == "reproduced", claim.why
    assert claim.compared is not None
    ratio = found.compared[claim.compared].ratio
    assert ratio is not None
    assert ratio.value == pytest.approx(0.4)


def test_without_files_the_servers_size_counts_and_without_rows_none(tmp_path: Path) -> None:
    def said(trial: Trial) -> Trial:
        rows = 500 if trial.arm == "a" else 0
        size = TableSize(table="t", engine="E", rows=rows, data_bytes=5000, index_bytes=5000)
        return trial.model_copy(update={"sizes": [size]})

    folder = load_run(
        tmp_path, at_rate(lambda arm, point: 1000.0), blocks=2, plan=plan(), change=said
    )
    (size,) = find(folder).sizes
    assert (size.arm, size.by_files, size.bytes_per_row) == ("a", False, 20)
