"""Slices in the plan: how often each arm has its turn, in which order, and what a slice runs."""

from __future__ import annotations

import tomllib
from itertools import pairwise
from typing import Any

import pytest
from spec_samples import GOOD, LOAD

from dyno.errors import SpecError
from dyno.spec.cost import estimate
from dyno.spec.load_plan import LoadPlan, Target, trial_plan
from dyno.spec.plan import Options, Plan, make_plan
from dyno.spec.read import parse_experiment

SLICED = LOAD.replace("[protocol]", "[protocol]\nslices = 4\ncontrol = false")


def plan(text: str = SLICED, **options: Any) -> Plan:
    experiment = parse_experiment(tomllib.loads(text), source="x.toml")
    return make_plan(experiment, Options.model_validate(options), name="x")


def of(made: Plan, slice_: int) -> LoadPlan:
    target = Target(socket="/s", user="root", database="d")
    return trial_plan(made, made.arms[0], target, point=1, block=2, slice_=slice_)


def test_arms_take_turns_in_random_order_in_each_slice() -> None:
    made = plan()
    assert made.block_trials == 2 * 3 * 4
    for order in made.orders:
        assert len(order) == made.block_trials
        for begin in range(0, len(order), 2):
            turns = order[begin : begin + 2]
            assert {turn.arm for turn in turns} == {"a", "b"}
            assert turns[0].point == turns[1].point
        # All slices of a point come one after the other.
        points = [turn.point for turn in order]
        assert sum(a != b for a, b in pairwise(points)) == 2
        assert [made.slice_at(position) for position in range(8)] == [0, 0, 1, 1, 2, 2, 3, 3]
    firsts = [order[begin].arm for order in made.orders for begin in range(0, len(order), 2)]
    assert 0.4 < firsts.count("a") / len(firsts) < 0.6


def test_without_the_key_nothing_is_different() -> None:
    made = plan(LOAD.replace("[protocol]", "[protocol]\ncontrol = false"))
    assert made.protocol.slices == 1
    assert {made.slice_at(position) for position in range(made.block_trials)} == {0}


def test_only_the_first_slice_has_the_whole_warm_up() -> None:
    made = plan()
    first, second = of(made, 0), of(made, 1)
    assert [phase.duration_s for phase in first.phases] == [5.0, 20.0]
    assert [phase.duration_s for phase in second.phases] == [2.0, 20.0]
    assert len({of(made, number).seed for number in range(4)}) == 4
    assert [phase.duration_s for phase in of(plan(LOAD), 0).phases] == [5.0, 20.0]


def test_a_slice_may_be_half_a_second_which_is_one_interval() -> None:
    assert of(plan(), 1).interval_s == 1.0
    short = of(plan(SLICED.replace('duration = "20s"', 'duration = "500ms"')), 1)
    assert [phase.duration_s for phase in short.phases] == [0.05, 0.5]
    assert short.interval_s == 0.5
    with pytest.raises(SpecError, match=r"protocol\.duration: it should be .* equal to 0\.5"):
        plan(SLICED.replace('duration = "20s"', 'duration = "400ms"'))


def test_the_estimate_counts_them() -> None:
    block_s = estimate(plan()).block_s
    assert block_s == pytest.approx(estimate(plan(LOAD, control=False)).block_s, rel=4)
    assert block_s > 6 * (4 * 20 + 5 + 3 * 2)


def test_servers_are_up_for_a_block() -> None:
    one_level = GOOD.replace("[workload]", "[protocol]\nslices = 4\n[workload]")
    assert plan(one_level).protocol.restart == "block"
    with pytest.raises(SpecError, match="slices needs servers that are up for a block") as refused:
        plan(one_level.replace("slices = 4", 'slices = 4\nrestart = "trial"'))
    assert "restart" in str(refused.value.hint)


@pytest.mark.parametrize("slices", ["0", "1001", '"many"'])
def test_a_wrong_number_is_refused(slices: str) -> None:
    with pytest.raises(SpecError, match=r"protocol\.slices"):
        plan(SLICED.replace("slices = 4", f"slices = {slices}"))


def test_tasks_have_none() -> None:
    task = '\n[[task]]\nname = "t"\nsql = "ANALYZE TABLE sbtest1"\n'
    with pytest.raises(SpecError, match=r"protocol\.slices doesn't go with tasks"):
        plan(SLICED + task)
