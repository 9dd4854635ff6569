"""Tasks that search: what a file may say of them, what they cost, claims about what they find."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from spec_samples import GOOD, SEARCH
from test_task_plans import CRASH, FREE, INDEX, claim, plan, refused

from dyno.spec.cost import UNKNOWN_TRIAL_S, estimate
from dyno.spec.least import Least
from dyno.spec.plan import Plan
from dyno.spec.task import Task
from dyno.spec.units import parse_bytes
from dyno.spec.wording import asks


def task(**keys: Any) -> str:
    """The same with other keys; None leaves one out."""
    document = tomllib.loads(SEARCH)["task"][0] | keys
    lines = []
    for key, value in document.items():
        if isinstance(value, dict):
            inner = ", ".join(f"{k} = {json.dumps(v)}" for k, v in value.items())
            lines.append(f"{key} = {{ {inner} }}")
        elif value is not None:
            lines.append(f"{key} = {json.dumps(value)}")
    return "\n".join(["[[task]]", *lines, ""])


def span(low: object, high: object, **keys: object) -> dict[str, object]:
    return {"variable": "innodb_online_alter_log_max_size", "from": low, "to": high, **keys}


def test_a_search_is_read_and_stored_as_it_is_written() -> None:
    made = plan(FREE + SEARCH)
    (found,) = made.tasks
    assert found.least is not None
    assert (found.least.from_, found.least.to, found.least.within) == (65_536, 67_108_864, 0.25)
    document = made.model_dump(mode="json")
    assert document["tasks"][0]["least"]["from"] == 65_536
    assert Plan.model_validate(document) == made
    assert found.doing == (
        "SET GLOBAL innodb_online_alter_log_max_size = …; ALTER TABLE sbtest1 ADD INDEX k2 (k); "
        "ALTER TABLE sbtest1 DROP INDEX k2"
    )
    several = plan(FREE + task(sql=["a", "b"], undo=["c", "d"])).tasks[0]
    assert (several.statements, several.undoing) == (["a", "b"], ["c", "d"])


@pytest.mark.parametrize(
    ("text", "size_bytes"),
    [("64K", 65_536), ("64kb", 65_536), ("2 M", 2_097_152), ("1G", 2**30), ("77", 77), (77, 77)],
)
def test_sizes_are_read_as_servers_write_them(text: object, size_bytes: int) -> None:
    assert parse_bytes(text) == size_bytes


@pytest.mark.parametrize(
    ("keys", "words", "hint"),
    [
        ({"undo": None}, "nothing undoes it", "add undo"),
        ({"undo": []}, "an empty statement", "write its SQL"),
        ({"undo": ["a", " "]}, "an empty statement", "write its SQL"),
        ({"least": None}, "undo goes with least", "leave out undo"),
        ({"sql": None, "do": "checkpoint"}, "least goes with sql", "leave out least"),
        ({"sql": None}, "either sql or do, found neither", "sql"),
        ({"least": span("64M", "64K")}, "from is 64.0 MiB, which isn't below to, 64.0 KiB", "from"),
        ({"least": span(7, 7)}, "isn't below to", "lowest"),
        ({"least": span(0, 7)}, "least.from", ""),
        ({"least": span("64X", "1M")}, "'64X' is not a size; write 64K", ""),
        ({"least": span(True, "1M")}, "'True' is not a size", ""),
        ({"least": span(1, 2, within=0)}, "least.within", ""),
        ({"least": span(1, 2) | {"variable": "a b"}}, "'a b' is no name", "SHOW GLOBAL VARIABLES"),
        ({"least": span(1, 2) | {"variable": "a=1"}}, "'a=1' is no name", "SHOW GLOBAL VARIABLES"),
        ({"least": span(1, 2, form=3)}, "unknown key 'task[1].least.form'", "'from'"),
        ({"least": {"variable": "a", "to": 2}}, "missing key 'task[1].least.from'", ""),
    ],
)
def test_what_is_not_a_search_is_refused(keys: dict[str, Any], words: str, hint: str) -> None:
    error = refused(FREE + task(**keys))
    assert words in error.message
    assert hint in (error.hint or "")


def test_no_variable_is_set_on_a_server_of_somebody_else() -> None:
    theirs = FREE.replace('server = "mariadb-10.1.8"', 'server = "mysql://root@localhost/"')
    error = refused(theirs + SEARCH)
    assert "Dyno sets no variable of mysql://root@localhost:3306/" in error.message
    assert plan(theirs + SEARCH + 'arms = ["a"]\n').tasks


@pytest.mark.parametrize(
    ("low", "high", "within", "most"),
    [(65_536, 67_108_864, 0.25, 7), (1, 2, 1.0, 2), (100, 110, 0.25, 2), (1, 1024, 1.0, 6)],
)
def test_how_many_attempts_a_search_takes(low: int, high: int, within: float, most: int) -> None:
    assert Least.model_validate(span(low, high, within=within)).attempts == most


def test_every_attempt_counts_in_the_cost() -> None:
    once, search = estimate(plan(FREE + INDEX)), estimate(plan(FREE + SEARCH))
    assert search.trial_s - once.trial_s == 6 * UNKNOWN_TRIAL_S


def test_a_search_is_compared_by_what_it_finds_alone() -> None:
    made = plan(FREE + INDEX + SEARCH)
    found = {(c.numerator.op, c.metric): c.primary for c in made.comparisons}
    assert [metric for op, metric in found if op == "least log"] == ["task_least"]
    assert found["least log", "task_least"]
    assert found["index", "task_time"]
    assert not found["oltp_read_write", "throughput"]
    prepared = plan(FREE + SEARCH + 'compare = "nothing"\n')
    assert {c.metric for c in prepared.comparisons if c.primary} == {"throughput"}


def test_claims_are_about_the_least_value() -> None:
    made = plan(FREE + INDEX + SEARCH + claim('["b @ least log", "a @ least log"]'))
    assert made.claims[0].claim.metric == "task_least"
    (primary,) = [c for c in made.comparisons if c.primary]
    assert primary.metric == "task_least"
    assert asks(made.claims[0]) == "least value of b @ least log / a @ least log"
    # The only task that searches needs no name.
    assert plan(FREE + INDEX + SEARCH + claim('["b", "a"]', metric="task_least")).claims


@pytest.mark.parametrize(
    ("text", "keys", "words", "hint"),
    [
        (
            INDEX + SEARCH,
            {"op": "least log", "metric": "task_time"},
            "no task 'least log'",
            "index",
        ),
        (INDEX + SEARCH, {"op": "index", "metric": "task_least"}, "no task 'index'", "least log"),
        (SEARCH, {"metric": "task_time"}, "task_time is of a task that is timed", "task_least"),
        (SEARCH, {"metric": "throughput_kept"}, "done once beside the load", "add beside"),
        (INDEX, {"metric": "task_least"}, "of a task that searches, and there is none", "least"),
    ],
)
def test_claims_about_what_a_search_doesnt_have_are_refused(
    text: str, keys: dict[str, str], words: str, hint: str
) -> None:
    error = refused(FREE + text + claim('["b", "a"]', **keys))
    assert words in error.message
    assert hint in (error.hint or "")


def test_a_task_that_no_arm_of_the_run_does_is_left_out() -> None:
    text = FREE + CRASH + SEARCH + 'arms = ["b"]\n'
    assert [task.name for task in plan(text).tasks] == ["crash", "least log"]
    alone = plan(text, arms=("a",))
    assert [task.name for task in alone.tasks] == ["crash"]
    assert alone.protocol.duration == 30, "no task beside the load: it lasts its own time"
    search_only = FREE + SEARCH + 'arms = ["b"]\n'
    made = plan(search_only + '[[arm]]\nname = "c"\nserver = "s"\n', arms=("a", "c"))
    assert made.tasks == []
    assert {c.metric for c in made.comparisons if c.primary} == {"throughput"}


def test_statements_have_searches_alone() -> None:
    made = plan(GOOD + task(beside=None))
    assert isinstance(made.tasks[0], Task)
    assert made.tasks[0].metrics == ("task_least",)
