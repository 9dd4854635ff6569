"""Tasks of an experiment: which go together, what they change in the plan, claims about them."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from spec_samples import GOOD, LOAD

from dyno.errors import SpecError
from dyno.spec.cost import estimate
from dyno.spec.load_plan import Target, trial_plan
from dyno.spec.plan import Options, Plan, Quantity, make_plan
from dyno.spec.read import parse_experiment
from dyno.spec.task import Task, undisturbed_s
from dyno.spec.wording import asks

ONE_LEVEL = LOAD.replace("[sweep]\nconnections = [1, 8, 64]\n", "").replace(
    "connections = [1, 8]\n", ""
)
FREE = ONE_LEVEL.replace('warmup = "5s"\nduration = "20s"\n', "").replace('duration = "2s"\n', "")
INDEX = """
[[task]]
name = "index"
sql = "ALTER TABLE sbtest1 ADD INDEX k2 (k)"
beside = true
"""
COLUMN = """
[[task]]
name = "column"
sql = ["SELECT 1", "ALTER TABLE sbtest1 ADD COLUMN x INT"]
beside = true
before = "8s"
after = 1
"""
CRASH = """
[[task]]
name = "crash"
do = "crash"
"""


def plan(text: str, **options: Any) -> Plan:
    experiment = parse_experiment(tomllib.loads(text), source="x.toml")
    return make_plan(experiment, Options.model_validate(options), name="x")


def refused(text: str, **options: Any) -> SpecError:
    with pytest.raises(SpecError) as caught:
        plan(text, **options)
    assert "\n" not in caught.value.message
    return caught.value


def claim(of: str, **keys: object) -> str:
    lines = [f"{key} = {json.dumps(value)}" for key, value in keys.items()]
    return "\n".join(["[[claim]]", 'says = "s"', f"ratio_of = {of}", "at_most = 1", *lines, ""])


def test_a_load_beside_tasks_lasts_until_it_is_stopped() -> None:
    made = plan(FREE + INDEX + COLUMN + CRASH)
    assert made.protocol.duration == 900
    assert undisturbed_s(made.tasks) == 5 + 8 + 1
    document = json.loads(trial_plan(made, made.baseline, Target(socket="/s")).to_json())
    assert document["phases"] == [
        {"name": "warmup", "duration_s": 5.0},
        {"name": "measure", "duration_s": 900.0, "until": "signal"},
    ]
    rated = FREE.replace("[protocol]", "[protocol]\nrate = 100.0")
    made = plan(rated + INDEX)
    (_, measure) = trial_plan(made, made.baseline, Target(socket="/s")).phases
    assert (measure.until, measure.length_s) == ("signal", 900)


def test_without_one_beside_the_load_it_lasts_its_time() -> None:
    made = plan(ONE_LEVEL + CRASH)
    assert made.protocol.duration == 20
    (_, measure) = trial_plan(made, made.baseline, Target(socket="/s")).phases
    assert measure.until is None


def test_every_trial_begins_on_fresh_data() -> None:
    only_reads = LOAD.replace("oltp_read_write", "oltp_read_only")
    assert plan(only_reads).protocol.restart == "block"
    assert not plan(only_reads).writes
    made = plan(only_reads + CRASH)
    assert made.protocol.restart == "trial"
    assert made.writes
    kept = only_reads.replace("[protocol]", '[protocol]\nrestart = "never"')
    assert "'never'" in refused(kept + CRASH).message


def test_plans_of_before_have_no_tasks() -> None:
    document = plan(GOOD).model_dump(mode="json")
    del document["tasks"]
    assert Plan.model_validate(document).tasks == []
    stored = plan(FREE + INDEX + CRASH)
    assert Plan.model_validate(stored.model_dump(mode="json")) == stored


@pytest.mark.parametrize(
    ("task", "words"),
    [
        ('name = "x"', "either sql or do, found neither"),
        ('name = "x"\nsql = "a"\ndo = "crash"', "found both"),
        ('name = "x"\nsql = []', "empty statement"),
        ('name = "x"\nsql = ["a", " "]', "empty statement"),
        ('name = "x"\ndo = "restart"\nbeside = true', "no load can run beside a restart"),
        ('name = "x"\ndo = "crash"\nsession = { a = 1 }', "session goes with sql"),
        ('name = "x"\nsql = "a"\nbefore = "6s"', "before is how long the load runs before"),
        ('name = "oltp_read_write"\nsql = "a"', "the name of an op"),
        ('name = "crash"\nsql = "a"', "two tasks are named 'crash'"),
        ('name = "x@y"\nsql = "a"', "name"),
        ('name = "x"\nsql = "a"\narms = ["c"]', "there is no arm 'c'"),
        ('name = "x"\nsql = "a"\ntimeout = 0', "timeout"),
    ],
)
def test_what_is_not_a_task_is_refused(task: str, words: str) -> None:
    assert words in refused(f"{FREE}{CRASH}[[task]]\n{task}\n").message


def test_tasks_beside_the_load_stand_next_to_each_other() -> None:
    error = refused(FREE + INDEX + CRASH + COLUMN)
    assert "'crash' is alone, between" in error.message


def test_statements_have_tasks_alone() -> None:
    assert "make no load" in refused(GOOD + INDEX).message
    made = plan(GOOD + CRASH)
    assert made.tasks == [Task(name="crash", do="crash")]


def test_a_load_that_ends_before_its_tasks_is_refused() -> None:
    short = ONE_LEVEL.replace('duration = "20s"', 'duration = "10s"')
    error = refused(short + INDEX)
    assert "the load runs 10 s, and protocol.duration ends it after 10 s" in error.message
    assert "5.0 s" in refused(FREE + INDEX, duration_s=5).message


def test_nothing_is_done_to_a_server_of_somebody_else() -> None:
    theirs = FREE.replace('server = "mariadb-10.1.8"', 'server = "mysql://root@localhost/"')
    error = refused(theirs + CRASH)
    assert "Dyno does no crash on mysql://root@localhost:3306/" in error.message
    only_a = plan(theirs + CRASH + 'arms = ["a"]\n')
    assert [task.is_for("b") for task in only_a.tasks] == [False]
    assert plan(theirs + INDEX).tasks


def test_without_claims_the_times_of_tasks_are_primary() -> None:
    made = plan(FREE + INDEX + CRASH)
    found = [(c.numerator.op, c.metric, c.primary) for c in made.comparisons]
    assert found == [
        ("oltp_read_write", "throughput", False),
        ("oltp_read_write", "p95", False),
        ("index", "task_time", True),
        ("crash", "task_time", True),
        ("index", "throughput_beside", False),
        ("index", "throughput_kept", False),
    ]


def test_what_only_prepares_isnt_compared() -> None:
    made = plan(ONE_LEVEL + CRASH + 'compare = "nothing"\n')
    assert {(c.metric, c.primary) for c in made.comparisons} == {
        ("throughput", True),
        ("p95", False),
    }
    only_a = plan(ONE_LEVEL + CRASH + 'arms = ["b"]\n')
    assert all(c.metric != "task_time" for c in only_a.comparisons)


def test_claims_name_a_task_in_the_place_of_an_op() -> None:
    text = FREE + INDEX + CRASH
    made = plan(text + claim('["b @ crash", "a @ crash"]'))
    assert made.claims[0].claim.metric == "task_time"
    (primary,) = [c for c in made.comparisons if c.primary]
    assert primary.numerator == Quantity(arm="b", op="crash", metric="task_time")
    assert asks(made.claims[0]) == "task time of b @ crash / a @ crash"
    made = plan(text + claim('["b", "a"]', op="index", metric="throughput_kept"))
    assert made.comparisons[made.claims[0].comparison or 0].metric == "throughput_kept"
    # The only task beside the load needs no name.
    assert plan(text + claim('["b", "a"]', metric="throughput_beside")).claims


@pytest.mark.parametrize(
    ("claimed", "words"),
    [
        (claim('["b", "a"]', metric="task_time"), "names no op"),
        (claim('["b", "a"]', op="cresh", metric="task_time"), "no task 'cresh'"),
        (claim('["b", "a"]', op="crash", metric="throughput_kept"), "no task 'crash'"),
        (claim('["b", "a"]', op="crash", metric="throughput"), "no op 'crash'"),
    ],
)
def test_claims_about_what_a_task_doesnt_have_are_refused(claimed: str, words: str) -> None:
    assert words in refused(FREE + INDEX + CRASH + claimed).message


def figure(named: str, of: str) -> str:
    """A claim about a figure of a task."""
    return f'[[claim]]\nsays = "s"\nfigure = "{named}"\nof = "{of}"\nat_most = 0\n'


def test_a_claim_may_be_about_a_figure_of_a_task() -> None:
    (planned,) = plan(FREE + INDEX + CRASH + figure("failed", "b @ crash")).claims
    assert (planned.quantity, planned.comparison) == (
        Quantity(arm="b", op="crash", metric="task_time"),
        None,
    )
    assert asks(planned) == "failures of b @ crash"


@pytest.mark.parametrize(
    ("claimed", "words"),
    [
        (figure("failed", "b"), "'b' names none"),
        (figure("progress_error", "b @ crash"), "of a task of one statement"),
        (figure("failed", "b @ index") + 'status = "Com_commit"\n', "found status, figure"),
        (figure("failed", "b @ index") + 'metric = "p99"\n', "has no metric"),
        (
            figure("failed", "b @ index").replace("at_most = 0", "expect = 1"),
            "is stated with at_most",
        ),
        (figure("failed", "b @ index").replace("of = ", "op = "), "of goes with"),
    ],
)
def test_a_figure_of_no_such_task_is_refused(claimed: str, words: str) -> None:
    assert words in refused(FREE + INDEX + CRASH + claimed).message


def test_a_claim_about_an_arm_that_doesnt_do_it_is_refused() -> None:
    text = FREE + CRASH + 'arms = ["a"]\n'
    error = refused(text + claim('["b @ crash", "a @ crash"]'))
    assert "arm 'b' doesn't do the task 'crash'" in error.message
    alone = refused(FREE + CRASH + claim('["b", "a"]', metric="throughput_kept"))
    assert "there is none" in alone.message
    none = refused(FREE + claim('["b", "a"]', metric="task_time"))
    assert "has no metric 'task_time'" in none.message


def test_the_cost_of_tasks_is_guessed_unless_it_is_given() -> None:
    cost = estimate(plan(FREE + INDEX))
    assert cost.trial_is_guessed
    assert cost.trial_s < 60
    said = FREE.replace("[protocol]", '[protocol]\nexpected_trial = "40s"')
    cost = estimate(plan(said + INDEX))
    assert not cost.trial_is_guessed
    assert cost.trial_s == 43
    assert "is for statements" in refused(said).message
