"""The plan is a pure function of experiment and options, and covers the matrix."""

from __future__ import annotations

import tomllib
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spec_samples import GOOD

from dyno.errors import SpecError
from dyno.looks import schedule
from dyno.spec.cost import estimate
from dyno.spec.experiment import Experiment
from dyno.spec.load_plan import Target, session_statements, trial_plan
from dyno.spec.plan import Options, Plan, make_plan
from dyno.spec.read import parse_experiment

MATRIX = """
title = "T"
question = "Q?"
[matrix]
servers = ["mysql-5.6.24", "mariadb-10.1.8"]
engines = ["MyISAM", "Aria"]
baseline = "mysql-5.6.24 / MyISAM / small"
leave_out = ["mysql-5.6.24 / Aria / *", "mariadb-10.1.8 / Aria / large"]
[matrix.settings]
small = { key_buffer_size = "8M" }
large = { key_buffer_size = "128M" }
[workload]
kind = "statements"
[[workload.statement]]
name = "q"
sql = "SELECT 1"
"""


def experiment(text: str = GOOD) -> Experiment:
    return parse_experiment(tomllib.loads(text), source="x.toml")


def plan(text: str = GOOD, **options: object) -> Plan:
    return make_plan(
        experiment(text), Options.model_validate({"control": False} | options), name="x"
    )


def test_the_matrix_is_crossed_less_what_is_left_out() -> None:
    names = [arm.name for arm in plan(MATRIX).arms]
    assert names == [
        "mysql-5.6.24 / MyISAM / small",
        "mysql-5.6.24 / MyISAM / large",
        "mariadb-10.1.8 / MyISAM / small",
        "mariadb-10.1.8 / MyISAM / large",
        "mariadb-10.1.8 / Aria / small",
    ]
    assert plan(MATRIX).baseline.name == names[0]


def test_a_cell_that_does_not_exist_is_refused() -> None:
    with pytest.raises(SpecError, match="no cell is named 'mysql-9'"):
        plan(MATRIX.replace('"mysql-5.6.24 / Aria / *"', '"mysql-9"'))


@given(st.integers(min_value=0, max_value=2**63 - 1))
@settings(max_examples=25)
def test_every_block_holds_every_arm_once(seed: int) -> None:
    made = plan(MATRIX, seed=seed)
    names = sorted(arm.name for arm in made.arms)
    assert all(sorted(turn.arm for turn in order) == names for order in made.orders)
    assert made == plan(MATRIX, seed=seed)


def test_orders_vary_and_no_arm_is_always_first() -> None:
    firsts = Counter(order[0].arm for order in plan(MATRIX, blocks=60).orders)
    assert len(firsts) == 5
    assert max(firsts.values()) < 30


def test_more_blocks_keep_the_orders_of_the_first_ones() -> None:
    assert plan(blocks=20).orders[:8] == plan(blocks=8).orders


def test_trial_numbers_are_unique() -> None:
    made = plan(MATRIX, blocks=8)
    numbers = [
        made.trial_number(block=block, position=position)
        for block, order in enumerate(made.orders)
        for position in range(len(order))
    ]
    assert numbers == list(range(1, 41))


@pytest.mark.parametrize("text", [GOOD, MATRIX])
def test_the_plan_survives_its_file(text: str) -> None:
    made = plan(text)
    assert Plan.model_validate_json(made.model_dump_json()) == made


def test_key_order_in_the_file_does_not_matter() -> None:
    document = tomllib.loads(GOOD)
    turned = dict(reversed(document.items()))
    found = parse_experiment(turned, source="x")
    assert make_plan(found, Options(control=False), name="x") == plan()


@pytest.mark.parametrize(("first", "last"), [(8, 60), (8, 8), (8, 20), (3, 9), (10, 50)])
def test_looks_are_those_that_p_star_is_calibrated_for(first: int, last: int) -> None:
    text = f"{MATRIX}[protocol]\nblocks = {{ first = {first}, last = {last} }}\n"
    assert tuple(plan(text).looks) == schedule(first=first, last=last)


def test_quick_scales_rows_and_takes_one_look() -> None:
    quick = plan(quick=True)
    assert quick.workload.model_dump()["table"][0]["rows"] == 6
    assert quick.looks == [8]
    assert plan(scale=2).workload.model_dump()["table"][0]["rows"] == 200


def test_claims_about_arms_left_out_are_named_not_lost() -> None:
    text = GOOD + '[[arm]]\nname = "c"\nserver = "path"\n'
    made = plan(text, arms=("a", "c"))
    assert [claim.says for claim in made.left_out_claims] == ["b is faster"]
    assert made.claims == []


def test_without_the_baseline_the_first_arm_becomes_it() -> None:
    text = GOOD + '[[arm]]\nname = "c"\nserver = "path"\n'
    assert plan(text, arms=("b", "c")).baseline.name == "b"


def test_extra_arms_run_only_when_asked_for() -> None:
    text = GOOD + '[[arm]]\nname = "c"\nserver = "path"\nextra = true\n'
    assert [arm.name for arm in plan(text).arms] == ["a", "b"]
    assert [arm.name for arm in plan(text, arms=("all",)).arms] == ["a", "b", "c"]
    assert [arm.name for arm in plan(text, arms=("a", "c")).arms] == ["a", "c"]


def test_settings_of_all_arms_lie_under_those_of_each() -> None:
    shared = "[settings]\na = 1\nb = 1\n"
    text = GOOD.replace('name = "b"', 'name = "b"\nsettings = { b = 2, c = 2 }', 1) + shared
    made = plan(text + "[quick.settings]\nb = { c = 3 }\n", servers=("mysql://u@h:1/", "path"))
    assert [arm.settings for arm in made.arms] == [
        {"a": 1, "b": 1},
        {"a": 1, "b": 2, "c": 2},
        {},
        {"a": 1, "b": 1},
    ]
    quick = plan(text + "[quick.settings]\nb = { c = 3 }\n", quick=True)
    assert quick.arm("b").settings == {"a": 1, "b": 2, "c": 3}


def test_an_added_server_is_an_arm() -> None:
    made = plan(servers=("mysql://u@h:1/",))
    assert str(made.arms[-1].server) == "mysql://u@h:1/"
    assert made.arms[-1].name == "h:1"


def test_session_settings_are_quoted() -> None:
    made = plan(
        GOOD.replace(
            'server = "mariadb-10.1.8"', 'server = "m"\nsession = { a = 1, b = "x\'y", c = true }'
        )
    )
    assert session_statements(made.workload, made.arm("b")) == [
        "SET SESSION a = 1",
        "SET SESSION b = 'x''y'",
        "SET SESSION c = 1",
    ]


def test_the_trial_plan_observes_and_carries_no_password() -> None:
    made = plan()
    text = trial_plan(made, made.arm("b"), Target(socket="/s", password_env="P")).to_json()
    assert '"password_env": "P"' in text
    assert '"status": true' in text


def test_cost_counts_datasets_and_the_budget() -> None:
    cost = estimate(plan(GOOD + '[protocol]\nbudget = "30s"\nexpected_trial = "10s"\n'))
    assert cost.datasets == 2
    assert cost.dataset_bytes == 1400
    assert cost.last_look_s == 30
    assert not cost.trial_is_guessed


def test_an_arms_setting_replaces_the_shared_one_with_loose_before_it() -> None:
    text = GOOD.replace('title = "T"', 'title = "T"\nsettings = { loose_x = 1, y = 2 }', 1)
    text = text.replace('name = "b"', 'name = "b"\nsettings = { x = 3 }', 1)
    first, second = plan(text).arms
    assert first.settings == {"loose_x": 1, "y": 2}
    assert second.settings == {"y": 2, "x": 3}
