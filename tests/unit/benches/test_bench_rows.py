"""The registry of rows, and the order in which their cells are run."""

from __future__ import annotations

import io
from collections import Counter
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any, cast

import pytest
from bench_samples import cell, row, sample
from benches.measure import Pace, Samples, Turn, measure, turns
from benches.rows import ROWS, chosen
from benches.rows.row import CPU, DYNO, Cell, Row
from benches.stand import Sample, Stand

from dyno.errors import LoadError, SpecError


def test_names_are_unique() -> None:
    names = [row.name for row in ROWS]
    assert len(set(names)) == len(names) > 15
    cells = {row.cell for row in ROWS}
    assert len({cell.name for cell in cells}) == len(cells)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_row_has_its_tools_in_its_cell(row: Row) -> None:
    assert set(row.tools) <= row.cell.tools.keys()
    assert row.peer != DYNO


def test_rows_are_chosen_by_name_by_first_words_or_by_pattern() -> None:
    def names(only: str | None) -> list[str]:
        return [row.name for row in chosen(ROWS, only)]

    assert names(None) == [row.name for row in ROWS if row.usual]
    assert names("loading.cpu") == ["loading.cpu"]
    assert names("loading") == ["loading.cpu", "loading.time"]
    assert "point_select.16.cpu" not in names("point_select.1")
    assert "point_select.1.latency" in names("point_select.1")
    assert {name.split(".")[-1] for name in names("*.throughput")} == {"throughput"}


def test_an_unknown_row_is_reported_with_the_known_ones() -> None:
    with pytest.raises(SpecError, match="'loadin'") as error:
        chosen(ROWS, "loadin")
    assert error.value.hint is not None
    assert "loading.cpu" in error.value.hint


def test_a_block_has_each_cell_and_each_tool_once() -> None:
    for block, made in groupby(turns(ROWS, range(8)), key=lambda turn: turn.block):
        found = list(made)
        assert set(Counter((t.cell.name, t.tool) for t in found).values()) == {1}
        runs = [name for name, _ in groupby(found, key=lambda turn: turn.cell.name)]
        assert len(runs) == len(set(runs)), "the tools of a cell follow one another"
        assert "oltp_point_select at 64 over socket" in runs
        assert any(name.startswith("loading") for name in runs) == (block < 6)


def test_each_block_draws_its_own_order_and_each_run_the_same_orders() -> None:
    plan = turns(ROWS, range(8))
    assert plan == turns(ROWS, range(8))
    firsts = {(turn.block, turn.cell): turn.tool for turn in reversed(plan)}
    tools = {tool for (_, place), tool in firsts.items() if len(place.tools) == 2}
    assert tools == {
        DYNO, "sysbench", "mariadb-slap", "sysbench-tpcc", "linkbench", "unprofiled", "one host"
    }  # fmt: skip
    orders = [[t.cell for t in made] for _, made in groupby(plan, key=lambda turn: turn.block)]
    assert orders[0] != orders[1]


def test_only_what_the_rows_need_is_run() -> None:
    plan = turns(chosen(ROWS, "point_select.64.cpu_floor"), range(3))
    assert Counter(turn.tool for turn in plan) == {DYNO: 3, "floor": 3}


def test_the_rest_is_estimated_from_what_was_seen() -> None:
    seen, new = Turn(0, cell("seen"), DYNO), Turn(0, cell("new"), DYNO)
    pace = Pace(seconds=2)
    assert pace.left_s([seen, new]) == 6
    pace.add(seen, 20)
    pace.add(seen, 30)
    assert pace.left_s([seen, seen, new]) == 53
    assert pace.left_s([]) == 0


class Rested(Stand):
    """A stand without a server."""

    def settle(self) -> None:
        pass


def test_data_are_made_once_and_every_run_is_kept_and_shown() -> None:
    filled: list[Stand] = []

    def tool(stand: Stand) -> Sample:
        assert filled == [stand]
        return sample()

    tools = {DYNO: tool, "sysbench": tool}
    cells = [Cell(name, tools, fill=filled.append) for name in ("one", "two")]
    rows = [Row(name, place, CPU, "sysbench") for name in ("a", "b") for place in cells]
    stand = Rested(cast(Any, None), Path(), seconds=2, floor=Path())
    shown = io.StringIO()
    found = Samples()
    measure(rows, stand, found, blocks=range(3), progress=shown)
    assert found.keys() == {(name, tool) for name in ("one", "two") for tool in tools}
    assert all(blocks.keys() == {0, 1, 2} for blocks in found.values())
    lines = shown.getvalue().splitlines()
    assert len(lines) == 12
    assert lines[-1].startswith("block 3 of 3, run 12 of 12: ")
    assert lines[-1].endswith(": 500 ops/s, 10 us/op; about 0 min 00 s left")
    measure(rows[:1], stand, found, blocks=range(3, 5), progress=shown)
    assert [len(found[name, DYNO]) for name in ("one", "two")] == [5, 3]
    assert filled == [stand], "the data are there already"


def test_what_was_measured_before_a_failure_is_kept() -> None:
    def breaks(stand: Stand) -> Sample:
        raise LoadError("it broke")

    plan = Cell("one", {DYNO: lambda stand: sample(), "sysbench": breaks})
    stand = Rested(cast(Any, None), Path(), seconds=2, floor=Path())
    found = Samples()
    rows = [Row("a", plan, CPU), Row("b", plan, CPU, "sysbench")]
    with pytest.raises(LoadError, match="it broke"):
        measure(rows, stand, found, blocks=range(9), progress=io.StringIO())
    drawn_first = turns(rows, range(1))[0].tool
    assert list(found) == ([("one", DYNO)] if drawn_first == DYNO else [])


def test_a_cell_may_be_left_out_of_later_blocks() -> None:
    short = replace(row(), cell=cell("short", blocks_most=2))
    assert {turn.block for turn in turns([short], range(5))} == {0, 1}
