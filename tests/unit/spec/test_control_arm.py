"""The control arm in the plan: when there is one, what it copies, and what is compared with it."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from spec_samples import CLAIM, GOOD, LOAD

from dyno.errors import SpecError
from dyno.spec.plan import Options, Plan, Quantity, make_plan
from dyno.spec.read import parse_experiment

TASKS = """
[[task]]
name = "of both"
sql = "OPTIMIZE TABLE sbtest1"
[[task]]
name = "of a"
sql = "ANALYZE TABLE sbtest1"
arms = ["a"]
[[task]]
name = "of b"
sql = "CHECK TABLE sbtest1"
arms = ["b"]
"""


def plan(text: str = GOOD, **options: Any) -> Plan:
    experiment = parse_experiment(tomllib.loads(text), source="x.toml")
    return make_plan(experiment, Options.model_validate(options), name="x")


def names(made: Plan) -> list[str]:
    return [arm.name for arm in made.arms]


def test_the_full_form_has_one_and_the_quick_form_none() -> None:
    full = plan()
    assert (names(full), full.control) == (["a", "b", "control"], "control")
    assert all(len(order) == 3 for order in full.orders)
    assert plan(quick=True).control is None
    assert plan(GOOD + "[quick]\ncontrol = true\n", quick=True).control == "control"


def test_it_is_the_baseline_under_another_name() -> None:
    made = plan(GOOD.replace("baseline = true", 'baseline = true\nsettings = { a_size = "8M" }'))
    control = made.arm("control")
    assert not control.baseline
    same = {"name", "baseline"}
    assert control.model_dump(exclude=same) == made.arm("a").model_dump(exclude=same)
    assert made.baseline.name == "a"


@pytest.mark.parametrize(
    ("options", "key", "found"),
    [
        ({}, "", True),
        ({"control": False}, "", False),
        ({"blocks": 5}, "", False),
        ({"blocks": 6}, "", True),
        ({"blocks": 5}, "control = true", True),
        ({"blocks": 5, "control": True}, "", True),
        ({"quick": True, "control": True}, "", True),
        ({}, "control = false", False),
        ({"control": True}, "control = false", True),
        ({"arms": ["a"]}, "", False),
        ({"arms": ["a"], "control": True}, "", True),
    ],
)
def test_where_it_can_say_nothing_it_must_be_asked_for(
    options: dict[str, Any], key: str, found: bool
) -> None:
    text = GOOD + f"[protocol]\n{key}\n"
    assert (plan(text, **options).control is not None) == found


def test_it_follows_the_baseline_that_the_command_line_makes() -> None:
    made = plan(GOOD, arms=["b"], control=True)
    assert str(made.arm("control").server) == str(made.arm("b").server)


def test_an_arm_of_its_name_is_refused() -> None:
    text = GOOD.replace('name = "b"', 'name = "control"').replace('["b", "a"]', '["control", "a"]')
    with pytest.raises(SpecError, match="an arm is named 'control'") as caught:
        plan(text)
    assert "protocol.control = false" in str(caught.value.hint)
    assert plan(text, control=False).control is None


def test_what_is_compared_at_each_point_has_its_control() -> None:
    made = plan(LOAD + CLAIM)
    found = [(c.numerator, c.denominator, c.primary) for c in made.controls]
    assert len(found) == len(set(found)) == len(made.comparisons)
    for above, below, primary in found:
        assert (above.arm, below.arm) == ("control", "a")
        assert above.model_copy(update={"arm": "a"}) == below
        (beside,) = [
            c for c in made.comparisons if c.denominator == below or c.numerator.op != below.op
        ]
        assert primary == beside.primary
    assert all("control" not in (c.numerator.arm, c.denominator.arm) for c in made.comparisons)


def test_ops_compared_with_each_other_have_none() -> None:
    text = GOOD + '[[workload.statement]]\nname = "r"\nsql = "SELECT 2"\n'
    claim = '[[claim]]\nsays = "x"\nratio_of = ["a @ q", "a @ r"]\nat_least = 1\n'
    made = plan(text.replace("[[claim]]", "[[ignored]]").split("[[ignored]]")[0] + _rest(claim))
    assert {c.denominator.op for c in made.controls} <= {"q", "r"}
    assert all(c.numerator.op == c.denominator.op for c in made.controls)


def _rest(claim: str) -> str:
    return '[[workload.statement]]\nname = "r"\nsql = "SELECT 2"\n' + claim


def test_it_does_the_baselines_tasks_and_no_others() -> None:
    made = plan(LOAD + TASKS)
    done = {task.name: task.is_for("control") for task in made.tasks}
    assert done == {"of both": True, "of a": True, "of b": False}
    tasks = {c.denominator.op for c in made.controls if c.metric == "task_time"}
    assert "of b" not in tasks
    assert "of both" in tasks


def test_the_plan_of_an_older_run_has_none() -> None:
    stored = plan(control=False).model_dump()
    del stored["control"], stored["controls"]
    old = Plan.model_validate(stored)
    assert (old.control, old.controls) == (None, [])
    assert Plan.model_validate_json(plan().model_dump_json()) == plan()


def test_the_order_of_the_arms_is_drawn_with_it() -> None:
    made = plan(blocks=60)
    places = {[turn.arm for turn in order].index("control") for order in made.orders}
    assert places == {0, 1, 2}
    assert isinstance(made.controls[0].numerator, Quantity)
