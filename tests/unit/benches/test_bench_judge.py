"""From samples to ratios, intervals and bars."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest
from bench_samples import cell, row, sample, samples
from benches.judge import Result, judge, undecided
from benches.rows.row import DYNO, FAILED, SEND_LAG, Bar, Row, at_least, at_most
from benches.table import entry, history_entry, table, verdict
from hypothesis import given
from hypothesis import strategies as st

COSTS = st.floats(0.1, 1e4)
BLOCKS = st.lists(st.tuples(COSTS, COSTS), min_size=1, max_size=12)
LOOKS = (8, 12, 18, 27, 40)


def judged(row: Row, dyno: list[float], peer: list[float]) -> Result:
    result = judge(row, samples(dyno, peer))
    assert result is not None
    return result


@given(BLOCKS)
def test_the_ratio_lies_among_those_of_the_blocks(blocks: list[tuple[float, float]]) -> None:
    dyno, peer = [list(side) for side in zip(*blocks, strict=True)]
    result = judged(row(), dyno, peer)
    ratios = [a / b for a, b in blocks]
    assert min(ratios) * (1 - 1e-9) <= result.ratio <= max(ratios) * (1 + 1e-9)
    assert result.low <= result.ratio * (1 + 1e-12)
    assert result.high >= result.ratio * (1 - 1e-12)
    assert math.isfinite(result.high) == (len(blocks) >= 6)


@given(BLOCKS)
def test_swapping_the_tools_inverts_the_ratio(blocks: list[tuple[float, float]]) -> None:
    dyno, peer = [list(side) for side in zip(*blocks, strict=True)]
    one, other = judged(row(), dyno, peer), judged(row(), peer, dyno)
    assert one.ratio * other.ratio == pytest.approx(1)


def test_a_block_with_a_slow_host_changes_nothing() -> None:
    steady = judged(row(), [5.0] * 8, [10.0] * 8)
    bursts = judged(row(), [5.0] * 7 + [50.0], [10.0] * 7 + [100.0])
    assert (steady.ratio, steady.spread) == pytest.approx((0.5, 1))
    assert (bursts.ratio, bursts.low, bursts.high) == pytest.approx((0.5, 0.5, 0.5))


def test_only_blocks_of_both_tools_count() -> None:
    result = judged(row(), [5.0, 5.0, 5.0], [10.0, 10.0])
    assert result.n == 2
    assert judge(row(), samples([5.0], [])) is None


def test_a_row_without_a_peer_is_its_figure() -> None:
    lone = Row("some.lag", cell(), SEND_LAG, bar=at_most(1))
    assert judge(lone, {("cell", DYNO): {0: sample()}}) is None  # Only an open load has one.
    lags_ms = {0: 0.4, 1: 0.5, 2: 0.6}
    by_block = {block: replace(sample(), send_lag_ms_p99=lag) for block, lag in lags_ms.items()}
    result = judge(lone, {("cell", DYNO): by_block})
    assert result is not None
    assert result.ratio == pytest.approx(0.5, rel=0.02)
    assert result.versus is None
    assert result.holds


def test_what_must_not_happen_even_once_is_judged_by_the_worst_block() -> None:
    failed = Row("some.failed", cell(), FAILED, bar=at_most(0), by="worst")
    good = {block: sample() for block in range(8)}
    result = judge(failed, {("cell", DYNO): good})
    assert result is not None
    assert result.holds
    result = judge(failed, {("cell", DYNO): good | {3: sample(failed=1)}})
    assert result is not None
    assert result.holds is False


@pytest.mark.parametrize(
    ("bar", "dyno", "said"),
    [
        (None, [5.0] * 8, ""),
        (at_most(0.75), [5.0] * 8, "holds"),
        (at_most(0.5), [5.0] * 8, "holds"),
        (at_least(0.75), [5.0] * 8, "MISSED"),
        (at_most(0.4), [5.0] * 8, "MISSED"),
        (at_most(0.75), [5.0] * 5 + [9.0] * 3, "holds, but the interval reaches over the bar"),
        (at_least(0.6), [5.0] * 6 + [9.0] * 2, "MISSED, but the interval reaches over the bar"),
        (at_most(0.75), [5.0] * 5, "holds, without an interval"),
    ],
)
def test_a_bar_is_compared_with_the_estimate(bar: Bar | None, dyno: list[float], said: str) -> None:
    result = judged(row(bar), dyno, [10.0] * len(dyno))
    assert verdict(result) == said
    assert result.holds is (None if bar is None else said.startswith("holds"))


def test_rows_whose_bar_lies_in_the_interval_need_more_blocks() -> None:
    close = samples([5.0] * 5 + [9.0] * 3, [10.0] * 8)
    clear, unclear = row(at_most(1)), row(at_most(0.75))
    once = replace(unclear, cell=cell(blocks_most=8))
    never_failed = Row("some.failed", cell(), FAILED, bar=at_most(0), by="worst")
    assert undecided([clear, unclear, row(None), once, never_failed], close, LOOKS) == [unclear]


def test_several_looks_have_wider_intervals() -> None:
    found = samples([5.0, 5.1, 5.2, 5.3, 5.4, 5.5, 5.6, 5.7], [10.0] * 8)
    one, several = judge(row(), found), judge(row(), found, looks=LOOKS)
    assert one is not None
    assert several is not None
    assert several.ratio == one.ratio
    assert several.low < one.low < one.high < several.high < math.inf


def test_the_table_has_a_line_a_row() -> None:
    lines = table([judged(row(at_most(0.75)), [5.0] * 8, [10.0] * 8)]).splitlines()
    assert [line.split()[0] for line in lines] == ["row", "some.cpu"]
    assert " ".join(lines[1].split()) == (
        "some.cpu 5 us/op sysbench 10 us/op 0.500 0.500 to 0.500 x 1.00 8 <= 0.75 holds"
    )


@pytest.mark.parametrize("blocks", [1, 5, 6, 8])
def test_results_are_strict_json(blocks: int) -> None:
    result = judged(row(at_most(0.75)), [5.0] * blocks, [10.0] * blocks)
    read = json.loads(json.dumps(entry(result), allow_nan=False))
    assert read.keys() == {"name", "ratio", "low", "high", "n", "bar", "bar_is", "holds"}
    assert (read["low"] is None) == (read["high"] is None) == (blocks < 6)
    assert (read["bar"], read["bar_is"], read["holds"]) == (0.75, "at_most", True)
    assert json.loads(json.dumps(history_entry(result), allow_nan=False)).items() >= read.items()
