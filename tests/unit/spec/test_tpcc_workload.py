"""The workload `tpcc`: what an experiment may say, what dynoload gets, and what it will cost."""

from __future__ import annotations

from typing import Any

import pytest
from stored_runs import plan_of as expand

from dyno.errors import SpecError
from dyno.spec.cost import Cost, estimate
from dyno.spec.load_plan import Target, trial_plan
from dyno.spec.summary import PhaseSummary
from dyno.spec.tpcc import LoadTpcc, TpccWorkload

TPCC = """
title = "t"
question = "q?"
[[arm]]
name = "a"
server = "s"
baseline = true
[[arm]]
name = "b"
server = "s"
engine = "MyISAM"
[workload]
kind = "tpcc"
warehouses = 10
"""
PACED = TPCC + 'mode = "paced"\n'


def tpcc(text: str, **options: Any) -> TpccWorkload:
    workload = expand(text, **options).workload
    assert isinstance(workload, TpccWorkload)
    return workload


def test_defaults_are_the_contract_s() -> None:
    workload = TpccWorkload(kind="tpcc")
    assert workload.model_dump(exclude={"kind", "session", "check_data"}) == {
        "warehouses": 1,
        "mode": "unpaced",
        "mix": "deck",
        "home": "bound",
        "delivery": "inline",
        "isolation": "repeatable_read",
        "foreign_keys": False,
        "history_key": False,
        "engine": "innodb",
        "create_options": "",
        "loaders": 4,
        "pause_scale": 1.0,
    }
    assert workload.writes
    assert workload.has_dataset


def test_a_rollback_is_an_op_of_its_own() -> None:
    assert expand(TPCC).ops == [
        "new_order", "new_order_rollback", "payment", "order_status", "delivery", "stock_level"
    ]  # fmt: skip


def test_the_arm_says_the_engine() -> None:
    plan = expand(TPCC + 'session = ["SET a = 1"]\n')
    loads = [plan.own_workload.for_load(arm.engine) for arm in plan.arms]
    assert all(isinstance(each, LoadTpcc) for each in loads)
    assert [getattr(each, "engine", None) for each in loads] == ["innodb", "MyISAM"]
    trial = trial_plan(plan, plan.arms[0], Target(noop=True))
    assert trial.session == ["SET a = 1"]
    assert '"success_file"' not in trial.to_json()


def test_the_success_file_is_not_a_key_of_an_experiment() -> None:
    assert LoadTpcc(kind="tpcc", success_file="/tmp/f").success_file == "/tmp/f"
    with pytest.raises(SpecError, match="success_file"):
        expand(TPCC + 'success_file = "/tmp/f"\n')


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("warehouses = 0", "warehouses"),
        ("warehouses = 100001", "warehouses"),
        ('mode = "pased"', "workload.mode"),
        ('mode = "paced"\nhome = "random"', "a terminal stays at its warehouse"),
        ("pause_scale = 0.5", "has no pauses"),
        ('delivery = "queued"', "the queue would grow without end"),
        ('mode = "paced"\npause_scale = 0', "pause_scale"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong: str, message: str) -> None:
    with pytest.raises(SpecError) as raised:
        expand(TPCC.replace("warehouses = 10\n", "") + wrong + "\n")
    assert message in raised.value.message


def test_paced_has_ten_connections_a_warehouse() -> None:
    assert expand(PACED + "[protocol]\nconnections = 100\n").points[0].connections == 100
    with pytest.raises(SpecError) as raised:
        expand(PACED + "[protocol]\nconnections = 64\n")
    assert "has 100 terminals at 10 warehouses, got 64 connections" in raised.value.message
    assert raised.value.hint is not None
    assert "100" in raised.value.hint


def test_paced_is_held_to_it_at_every_point_and_scale() -> None:
    with pytest.raises(SpecError, match="got 50 connections"):
        expand(PACED + "[sweep]\nconnections = [100, 50]\n")
    with pytest.raises(SpecError, match="has 10 terminals at 1 warehouse, got 100 connections"):
        expand(PACED + "[protocol]\nconnections = 100\n", scale=0.1)
    assert expand(PACED + "[protocol]\nconnections = 100\n", scale=0.5, connections=(50,))


@pytest.mark.parametrize(
    "keys", ["[protocol]\nconnections = 100\nrate = 10", "[protocol]\nconnections = 100\nthink = 1"]
)
def test_paced_has_its_own_pauses(keys: str) -> None:
    with pytest.raises(SpecError, match="has its own pauses"):
        expand(PACED + keys + "\n")


def test_the_data_depend_on_what_is_loaded_alone() -> None:
    def parts(more: str) -> object:
        return expand(TPCC + more).own_workload.data_parts("innodb")

    assert parts('isolation = "serializable"') == parts('mix = "weighted"\nhome = "random"')
    assert parts("foreign_keys = true") != parts("")
    assert parts("history_key = true") != parts("")
    assert parts("loaders = 2") != parts("")


def test_scale_is_of_warehouses() -> None:
    assert tpcc(TPCC, scale=0.2).warehouses == 2
    assert tpcc(TPCC, scale=0.01).warehouses == 1


def test_rows_and_cost_are_known_before() -> None:
    plan = expand(TPCC)
    # items; a warehouse: 1 + 10 districts + 30,000 customers, history, orders + 300,000 lines
    # + 9,000 pending + 100,000 of stock
    assert plan.workload.row_count == 100_000 + 10 * 499_011
    cost = estimate(plan)
    assert cost.dataset_bytes == 1_012_000_000
    assert cost.datasets == 2
    assert cost.load_s == pytest.approx(134.93, abs=0.01)


def test_checks_of_the_data_take_time() -> None:
    def cost(when: str, more: str = "") -> Cost:
        text = TPCC + f'check_data = "{when}"\n[protocol]\nblocks = {{ first = 2, last = 4 }}\n'
        return estimate(expand(text + more))

    never, first, every = map(cost, ("never", "first_block", "every_trial"))
    assert never.check_s == 0 < first.check_s == every.check_s
    one_s = every.check_s / every.datasets
    assert every.load_s == never.load_s, "loading is loading"
    trials = 2
    assert first.block_s == every.block_s == pytest.approx(never.block_s + trials * one_s)
    assert first.first_look_s == pytest.approx(never.first_look_s + trials * one_s)
    assert every.first_look_s == pytest.approx(never.first_look_s + 2 * trials * one_s)
    assert every.trial_s == pytest.approx(never.trial_s + one_s)
    shared = 'restart = "block"\n[sweep]\nconnections = [1, 2, 4]\n'
    once, unchecked = cost("first_block", shared), cost("never", shared)
    assert once.block_s == pytest.approx(unchecked.block_s + trials * one_s), "once a copy"


def test_counters_of_a_phase_are_none_where_the_workload_has_none() -> None:
    phase = {
        "phase": "measure",
        "elapsed_s": 1.0,
        "scheduled": 0,
        "ok": 0,
        "failed": {},
        "skipped": 0,
        "unfinished": 0,
        "ops": [],
    }
    assert PhaseSummary.model_validate(phase).counters == {}
    summary = PhaseSummary.model_validate(phase | {"counters": {"order_lines": 3}})
    assert summary.counters == {"order_lines": 3}
