"""From an experiment of crashes to its series: arms, cells, order, instants, and mistakes."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path

import pytest

from dyno.errors import SpecError
from dyno.spec.crash_load import Ledger, LinkbenchNodes, TpccOrders
from dyno.spec.durability import DurabilityExperiment
from dyno.spec.read import parsed, read_any, read_experiment
from dyno.spec.series import Cell, Series, make_series

TEXT = """
kind = "durability"
title = "t"
question = "What is lost?"
control = "two"
[settings]
innodb_doublewrite = 1
[[arm]]
name = "one"
server = "mariadb-debian"
settings = { innodb_flush_log_at_trx_commit = 1 }
[[arm]]
name = "two"
server = "mariadb-debian"
settings = { innodb_flush_log_at_trx_commit = 2 }
[[arm]]
name = "rare"
server = "mysql-sid"
extra = true
[crashes]
kinds = ["kill", "power", "liar"]
each = 4
warmup = "1s"
within = "8s"
only = { liar = ["one"] }
more = [{ arm = "one", crash = "power", each = 9 }]
[quick]
each = 2
kinds = ["power"]
[[claim]]
arm = "two"
crash = "power"
says = "loses"
"""


def series(text: str = TEXT, **options: object) -> Series:
    experiment = parsed(DurabilityExperiment, tomllib.loads(text), source="x")
    return make_series(experiment, name="x", **options)  # type: ignore[arg-type]


def test_two_harmful_crashes_settle_a_cell_unless_it_wants_more() -> None:
    made = series(TEXT.replace("each = 9 }", "each = 9, settled_by = 9 }"))
    assert made.settled_by(Cell(arm="one", kind="power")) == 9
    assert made.settled_by(Cell(arm="one", kind="kill")) == 2


PRICE = TEXT.replace("[quick]", '[price]\nbaseline = "one"\nblocks = 7\n[quick]')


def test_a_price_has_each_arm_once_a_block_in_an_order_that_is_drawn() -> None:
    made = series(PRICE)
    turns = [(number, block, arm.name) for number, block, arm in made.price_turns()]
    assert [number for number, _, _ in turns] == list(range(1, 15))
    blocks = [[name for _, block, name in turns if block == n] for n in range(7)]
    assert all(sorted(names) == ["one", "two"] for names in blocks)
    assert len({tuple(names) for names in blocks}) == 2
    assert len(list(series(PRICE, quick=True).price_turns())) == 12


def test_without_its_baseline_or_another_arm_there_is_no_price() -> None:
    assert series(PRICE, arms=("two", "rare")).price is None
    assert series(PRICE, arms=("one",)).price is None
    with pytest.raises(SpecError, match="oen"):
        series(PRICE.replace('baseline = "one"', 'baseline = "oen"'))


def test_each_cell_has_its_crashes_in_an_order_that_is_drawn() -> None:
    made = series()
    cells = Counter((cell.arm, cell.kind) for _, _, cell in made.turns())
    assert cells == {
        ("one", "kill"): 4,
        ("one", "power"): 9,
        ("one", "liar"): 4,
        ("two", "kill"): 4,
        ("two", "power"): 4,
    }
    assert [number for number, _, _ in made.turns()] == list(range(1, 26))
    assert list(made.turns()) == list(series().turns())
    assert list(made.turns()) != list(series(seed=7).turns())
    rounds = [round_ for _, round_, _ in made.turns()]
    assert rounds == sorted(rounds)


def test_the_instants_of_a_cell_share_the_time_among_them() -> None:
    made = series()
    (cell,) = [c for c in made.cells if (c.arm, c.kind) == ("one", "power")]
    parts = sorted(int((made.after_s(cell, n) - 1) / (8 / 9)) for n in range(9))
    assert parts == list(range(9))


def test_settings_of_all_arms_lie_below_an_arms_own() -> None:
    assert series().arm("two").settings == {
        "innodb_doublewrite": 1,
        "innodb_flush_log_at_trx_commit": 2,
    }


def test_the_quick_form_has_fewer() -> None:
    quick = series(quick=True)
    assert Counter(cell.kind for _, _, cell in quick.turns()) == {"power": 4}
    assert (quick.control, len(quick.claims)) == ("two", 1)


def test_named_arms_alone_run_and_extra_ones_only_by_name() -> None:
    assert [arm.name for arm in series().arms] == ["one", "two"]
    named = series(arms=("rare",))
    assert ([arm.name for arm in named.arms], named.control, named.claims) == (["rare"], None, [])


MISTAKES = {
    'control = "two"': ('control = "three"', "there is no arm 'three'"),
    "each = 4\n": ("each = 0\n", "greater than or equal to 1"),
    'within = "8s"': ('within = "0s"', "greater than 0"),
    'only = { liar = ["one"] }': ('only = { torn = ["one"] }', "isn't in kinds"),
    'kinds = ["kill", "power", "liar"]': ('kinds = ["kill", "kill", "liar"]', "'kill' twice"),
    "[crashes]\n": ("[crashes]\nkind = 1\n", "unknown key 'crashes.kind'"),
    'server = "mysql-sid"': ('server = "mysql://u@h/"', None),
    'says = "loses"': ('says = "looses"', "there is no 'looses'"),
}


@pytest.mark.parametrize("what", MISTAKES)
def test_mistakes_are_one_line(what: str) -> None:
    wrong, words = MISTAKES[what]
    if words is None:
        with pytest.raises(SpecError, match="only servers that it has started itself"):
            series(TEXT.replace(what, wrong), arms=("rare",))
        return
    with pytest.raises(SpecError) as found:
        series(TEXT.replace(what, wrong))
    assert words in found.value.message
    assert "\n" not in found.value.message


def test_rows_are_enough_for_the_connections() -> None:
    with pytest.raises(SpecError, match="each of 8 connections updates its own"):
        series(TEXT + "[load]\nrows = 5\n")


def test_only_run_and_its_like_read_it(tmp_path: Path) -> None:
    (tmp_path / "experiment.toml").write_text(TEXT)
    assert isinstance(read_any(tmp_path), DurabilityExperiment)
    with pytest.raises(SpecError, match="an experiment of crashes has no trials"):
        read_experiment(tmp_path)


def test_without_a_kind_the_load_is_the_ledger() -> None:
    assert series().load == Ledger()
    assert series(TEXT + "[load]\nconnections = 4\n").load == Ledger(connections=4)
    assert series(TEXT + '[load]\nkind = "ledger"\nrows = 9\n').load == Ledger(rows=9)


def test_a_load_may_be_a_workload_with_rules() -> None:
    tpcc = series(TEXT + '[load]\nkind = "tpcc"\nwarehouses = 2\nconnections = 16\n').load
    assert tpcc == TpccOrders(kind="tpcc", warehouses=2, connections=16)
    graph = series(TEXT + '[load]\nkind = "linkbench"\nids = 500\n').load
    assert graph == LinkbenchNodes(kind="linkbench", ids=500, connections=8)


LOADS = ['think = "50ms"', 'kind = "tpcc"\nthink = "50ms"', 'kind = "linkbench"']


@pytest.mark.parametrize("load", ["", *(f"[load]\n{text}\n" for text in LOADS)])
def test_the_plan_of_any_load_is_read_back(load: str) -> None:
    made = series(TEXT + load)
    assert Series.model_validate_json(made.model_dump_json()) == made


def test_pauses_of_a_load_are_part_of_its_words() -> None:
    paused = series(TEXT + '[load]\nconnections = 1\nthink = "50ms"\n').load
    assert paused.words.endswith("1 connection, think time 50 ms")
    assert "think" not in series().load.words


def test_a_plan_from_before_there_were_other_loads_is_read() -> None:
    document = series(TEXT + "[load]\nrows = 50\n").model_dump(mode="json")
    del document["load"]["kind"]
    assert Series.model_validate(document).load == Ledger(rows=50)


BAD_LOADS = {
    'kind = "tpc"': ("load.kind: there is no 'tpc'", "tpcc"),
    'kind = "tpcc"\nwarehouse = 5': ("unknown key 'load.warehouse'", "'warehouses'"),
    'kind = "linkbench"\nid = 5': ("unknown key 'load.id'", "ids"),
    "warehouses = 5": ("unknown key 'load.warehouses'", "connections, kind, ops, rows"),
    'think = "0s"': ("load.think: it should be greater than 0", ""),
    'kind = "tpcc"\nwarehouses = 0': ("load.warehouses: it should be greater than or equal", ""),
    'kind = "linkbench"\nids = 1': ("load.ids: it should be greater than or equal to 2", ""),
    'kind = "tpcc"\nwarehouses = true': ("warehouses has true or false for a number", ""),
}


@pytest.mark.parametrize("text", BAD_LOADS)
def test_mistakes_in_a_load_are_one_line(text: str) -> None:
    words, hint = BAD_LOADS[text]
    with pytest.raises(SpecError) as found:
        series(f"{TEXT}[load]\n{text}\n")
    assert words in found.value.message
    assert hint in (found.value.hint or "")
    assert "\n" not in found.value.message


def test_a_load_that_is_no_table_is_refused() -> None:
    with pytest.raises(SpecError, match="load: "):
        series(TEXT.replace('control = "two"', 'control = "two"\nload = "tpcc"'))
