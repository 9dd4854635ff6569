"""The parts of tasks that need no server: their order, and the load's clock."""

from __future__ import annotations

import time

import pytest

from dyno.runner.tasks.done import Cancel
from dyno.runner.tasks.sampling import every_s
from dyno.runner.tasks.split import Split, split
from dyno.runner.tasks.thread import LoadClock
from dyno.spec.events import Hello, PhaseMark
from dyno.spec.plan import Options, Plan, make_plan
from dyno.spec.read import parse_experiment


def plan_of(*tasks: dict[str, object]) -> Plan:
    document = {
        "title": "T",
        "question": "Q?",
        "arm": [
            {"name": "a", "baseline": True, "server": "mariadb-10.1.8"},
            {"name": "b", "server": "mariadb-10.1.8"},
        ],
        "workload": {"kind": "oltp", "script": "oltp_read_write"},
        "task": [{"sql": "SELECT 1"} | task for task in tasks],
    }
    return make_plan(parse_experiment(document, source="x"), Options(), name="x")


def names(found: Split) -> tuple[list[str], list[str], list[str]]:
    first, beside, last = ([t.name for t in s] for s in (found.first, found.beside, found.last))
    return first, beside, last


def test_tasks_are_split_by_the_load_that_runs_beside_some() -> None:
    plan = plan_of(
        {"name": "1"},
        {"name": "2", "beside": True},
        {"name": "3", "beside": True},
        {"name": "4"},
        {"name": "5"},
    )
    assert names(split(plan, "a")) == (["1"], ["2", "3"], ["4", "5"])


def test_without_one_beside_it_all_come_first() -> None:
    assert names(split(plan_of({"name": "1"}, {"name": "2"}), "a")) == (["1", "2"], [], [])
    assert names(split(plan_of(), "a")) == ([], [], [])


def test_an_arm_does_its_own_and_its_load_lasts_as_long() -> None:
    plan = plan_of(
        {"name": "1", "arms": ["b"]},
        {"name": "2", "beside": True, "arms": ["b"]},
        {"name": "3", "arms": ["a"]},
    )
    assert names(split(plan, "a")) == ([], ["2"], ["3"])
    assert names(split(plan, "b")) == (["1"], ["2"], [])


def test_the_earliest_heard_event_sets_the_clock() -> None:
    clock = LoadClock()
    begun_s = time.monotonic()
    hello = {"event": "hello", "schema": 2, "dynoload": "1", "build": "release", "pid": 1}
    clock.hear(Hello.model_validate(hello | {"unix_ms": 1}))
    assert clock.t_s(begun_s + 5) == pytest.approx(5, abs=0.2)
    # Heard half a second late, it changes nothing; heard earlier than the hello, it does.
    mark = {"event": "phase", "phase": "warmup", "state": "begin"}
    before = clock.t_s(begun_s)
    clock.hear(PhaseMark.model_validate(mark | {"t_s": -0.5}))
    assert clock.t_s(begun_s) == before
    clock.hear(PhaseMark.model_validate(mark | {"t_s": 0.5}))
    assert clock.t_s(begun_s) == pytest.approx(before + 0.5, abs=0.2)


def test_only_the_first_reason_to_end_counts() -> None:
    cancel = Cancel()
    assert not cancel.wait(-1)
    cancel.say("first", in_a_hurry=True)
    cancel.say("second")
    assert cancel.wait(10)
    assert (cancel.is_said, cancel.reason, cancel.in_a_hurry) == (True, "first", True)


@pytest.mark.parametrize(
    ("elapsed_s", "wait_s"), [(0.0, 0.05), (0.4, 0.05), (1.0, 0.1), (9.0, 0.2)]
)
def test_a_short_task_is_sampled_more_often(elapsed_s: float, wait_s: float) -> None:
    assert every_s(elapsed_s) == pytest.approx(wait_s)
