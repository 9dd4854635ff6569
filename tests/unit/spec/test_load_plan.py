"""What a trial of a load asks of dynoload, and that rows are asked for once."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from spec_samples import GOOD, LOAD

from dyno.spec.load_plan import LoadPlan, Target, dataset_plan, trial_plan
from dyno.spec.plan import Options, Plan, make_plan
from dyno.spec.read import parse_experiment

TARGET = Target(socket="/s")


def plan(text: str = LOAD) -> Plan:
    return make_plan(parse_experiment(tomllib.loads(text), source="x"), Options(), name="x")


def trial(text: str = LOAD, point: int = 0) -> dict[str, Any]:
    made = plan(text)
    document: dict[str, Any] = json.loads(
        trial_plan(made, made.arm("b"), TARGET, point=point).to_json()
    )
    return document


def test_a_closed_load_has_connections_and_seconds() -> None:
    document = trial(point=2)
    assert document["schema"] == 2
    assert document["connections"] == 64
    assert document["phases"] == [
        {"name": "warmup", "duration_s": 5.0},
        {"name": "measure", "duration_s": 20.0},
    ]
    assert document["observe"] == {"settings": True, "explain": False, "status": True}
    assert document["drain_s"] == 60
    assert document["retries"]["limit"] == 100
    assert document["workload"]["kind"] == "oltp"
    assert "session" not in document["workload"]
    assert document["workload"]["distribution"] == {
        "kind": "special",
        "iter": 12,
        "pct": 1,
        "res": 75,
    }


def test_an_open_load_has_arrivals_as_long_as_its_phases() -> None:
    text = LOAD.replace("connections = [1, 8, 64]", "rate = [500, 1000]")
    text = text.replace("connections = [1, 8]\n", "")
    text = text.replace("[protocol]", '[protocol]\nconnections = 32\narrivals = "fixed"')
    document = trial(text, point=1)
    assert document["connections"] == 32
    assert document["phases"] == [
        {
            "name": name,
            "arrivals": {
                "distribution": "fixed",
                "steps": [{"duration_s": length_s, "rate_per_s": 1000.0}],
            },
        }
        for name, length_s in (("warmup", 5.0), ("measure", 20.0))
    ]
    made = plan(text)
    phases = trial_plan(made, made.baseline, TARGET, point=1).phases
    assert [phase.length_s for phase in phases] == [5.0, 20.0]


def test_every_phase_has_the_think_time_and_an_empty_warm_up_is_left_out() -> None:
    text = LOAD.replace('warmup = "5s"', 'warmup = 0\nthink = "10ms"\nthink_is = "constant"')
    assert trial(text)["phases"] == [
        {
            "name": "measure",
            "duration_s": 20.0,
            "think": {"distribution": "constant", "mean_s": 0.01},
        }
    ]


def test_the_engine_of_the_arm_comes_first() -> None:
    named = LOAD.replace('name = "b"', 'name = "b"\nengine = "Aria"')
    made = plan(named)
    assert trial(named)["workload"]["engine"] == "Aria"
    assert dataset_plan(made, made.arm("a"), TARGET).workload.model_dump()["engine"] == "innodb"


def test_session_settings_reach_the_plan() -> None:
    text = LOAD.replace('name = "b"', 'name = "b"\nsession = { a = 1 }')
    text = text.replace('kind = "oltp"', 'kind = "oltp"\nsession = ["SET x"]')
    assert trial(text)["session"] == ["SET x", "SET SESSION a = 1"]


def test_rows_are_loaded_by_the_phase_load_alone() -> None:
    made = plan()
    loading = dataset_plan(made, made.baseline, TARGET)
    assert [phase.name for phase in loading.phases] == ["load"]
    assert loading.workload.kind == "oltp"


def test_statements_still_have_rounds_and_explain() -> None:
    document = trial(GOOD)
    assert document["phases"] == [{"name": "measure", "rounds": 1}]
    assert document["observe"]["explain"]
    assert document["workload"]["tables"] == []


@pytest.mark.parametrize("schema", [1, 2])
def test_plans_of_both_schemas_are_read(schema: int) -> None:
    document = trial(GOOD) | {"schema": schema}
    assert LoadPlan.model_validate(document).load_schema == schema


def test_a_plan_without_a_server_is_read() -> None:
    document = trial() | {"target": {"noop": True}}
    read = LoadPlan.model_validate(document)
    assert read.target.noop
    assert json.loads(read.to_json())["target"]["noop"] is True
    assert "noop" not in trial()["target"]


def test_a_search_has_its_defaults() -> None:
    document = trial() | {"phases": [{"name": "search", "search": {"latency_ms": 20.0}}]}
    search = LoadPlan.model_validate(document).phases[0].search
    assert search is not None
    assert (search.quantile, search.confirm, search.rate_max_per_s) == (0.99, 2, 100_000)
