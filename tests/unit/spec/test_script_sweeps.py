"""A sweep over scripts or over an option's values: its points, claims, and what dynoload gets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from spec_samples import TWO_ARMS

from dyno.errors import SpecError
from dyno.spec.choose import Options
from dyno.spec.load_plan import Target, trial_plan
from dyno.spec.plan import Plan, make_plan
from dyno.spec.read import read_experiment
from dyno.spec.sysbench import LoadScript

HEAD = f"""{TWO_ARMS}
[workload]
kind = "sysbench"
script = "oltp_read_write"
options = {{ table-size = 500, range-size = 7 }}
"""
GROUPS = """
[sweep]
connections = [1, 16]
script = { reads = ["oltp_point_select", "own.lua"], writes = ["oltp_update_index"] }
[quick]
script = ["own"]
connections = [1]
"""
CLAIM = """
[[claim]]
says = "b is faster"
ratio_of = ["b", "a"]
at_least = 1
"""


def plan_of(folder: Path, text: str, **options: Any) -> Plan:
    (folder / "own.lua").write_text("function event() end\n")
    (folder / "experiment.toml").write_text(HEAD + text)
    chosen = Options.model_validate({"control": False} | options)
    return make_plan(read_experiment(folder), chosen, name="x")


def loads(plan: Plan) -> list[LoadScript]:
    """What dynoload gets at each point."""
    target = Target(socket="/s")
    found = [trial_plan(plan, plan.arms[0], target, point=i) for i in range(len(plan.points))]
    scripts = [load.workload for load in found]
    assert all(isinstance(script, LoadScript) for script in scripts)
    return [script for script in scripts if isinstance(script, LoadScript)]


def test_scripts_and_levels_together_make_a_point_of_each_pair(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, GROUPS)
    assert [point.label for point in plan.points] == [
        "oltp_point_select, 1 connection",
        "oltp_point_select, 16 connections",
        "own, 1 connection",
        "own, 16 connections",
        "oltp_update_index, 1 connection",
        "oltp_update_index, 16 connections",
    ]
    groups = [point.variant.group for point in plan.points if point.variant]
    assert groups == ["reads"] * 4 + ["writes"] * 2
    assert [load.script for load in loads(plan)][1:5] == [
        "oltp_point_select",
        "own.lua",
        "own.lua",
        "oltp_update_index",
    ]
    assert {load.name for load in loads(plan)} == {"event"} == set(plan.ops)
    assert {load.options["table-size"] for load in loads(plan)} == {"500"}
    assert plan.own_workload.for_load(None).model_dump()["script"] == "oltp_read_write"


def test_points_of_one_level_are_called_by_their_scripts(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, '[sweep]\nscript = ["oltp_read_only", "own.lua"]\n')
    assert [point.label for point in plan.points] == ["oltp_read_only", "own"]
    assert plan.protocol.restart == "block"
    kinds = {(c.metric, c.point) for c in plan.comparisons}
    assert kinds >= {("throughput", 1), ("server_cpu", 0), ("server_cpu", 1), ("p95", 0)}
    assert all(c.primary == (c.metric == "throughput") for c in plan.comparisons)


def test_the_quick_form_may_have_fewer_scripts(tmp_path: Path) -> None:
    assert [p.label for p in plan_of(tmp_path, GROUPS, quick=True).points] == ["own"]


def test_an_options_values_replace_the_workloads(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, "[sweep]\noption.range_size = [10, 1000]\n")
    assert [point.label for point in plan.points] == ["range_size 10", "range_size 1000"]
    assert [load.options for load in loads(plan)] == [
        {"table-size": "500", "range_size": "10"},
        {"table-size": "500", "range_size": "1000"},
    ]
    assert plan.ops == ["oltp_read_write"]


@pytest.mark.parametrize(
    ("at", "labels"),
    [
        ('{ script = "own", connections = 16 }', [""]),
        ('{ group = "reads", connections = 16 }', ["oltp_point_select", "own"]),
        ("{ connections = 1 }", ["oltp_point_select", "own", "oltp_update_index"]),
        ("16", ["oltp_point_select", "own", "oltp_update_index"]),
        ('"own"', ["own, 1 connection", "own, 16 connections"]),
    ],
)
def test_a_claim_is_made_at_each_point_that_it_is_about(
    tmp_path: Path, at: str, labels: list[str]
) -> None:
    plan = plan_of(tmp_path, GROUPS + CLAIM + f"at = {at}\n")
    assert plan.left_out_claims == []
    said = [planned.claim.says for planned in plan.claims]
    assert len(said) == len(labels)
    assert all(label in text for label, text in zip(labels, said, strict=True))
    assert all(c.primary for c in plan.comparisons if c in _claimed(plan))


def _claimed(plan: Plan) -> list[Any]:
    return [plan.comparisons[p.comparison] for p in plan.claims if p.comparison is not None]


def test_claims_about_scripts_that_a_run_leaves_out_are_counted(tmp_path: Path) -> None:
    text = GROUPS + CLAIM + 'at = { connections = 1 }\nmetric = "server_cpu"\n'
    plan = plan_of(tmp_path, text, quick=True)
    assert [planned.at_label for planned in plan.claims] == [""]
    assert plan.claims[0].claim.says == "b is faster (at own, 1 connection)"
    assert len(plan.left_out_claims) == 2


def test_a_claim_about_an_options_value(tmp_path: Path) -> None:
    text = "[sweep]\noption.range_size = [10, 1000]\n" + CLAIM
    plan = plan_of(tmp_path, text + "at = 1000\n")
    (planned,) = plan.claims
    assert planned.comparison is not None
    assert (plan.comparisons[planned.comparison].point, planned.at_label) == (1, "range_size 1000")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (GROUPS + CLAIM + 'at = "oltp_read"\n', "has no point with oltp_read"),
        (GROUPS + CLAIM + 'at = { group = "raeds" }\n', "has no point with group raeds"),
        (GROUPS + CLAIM + "at = { }\n", "at names no point"),
        (GROUPS + CLAIM, "it names no level of the sweep"),
        ('[sweep]\nscript = ["own.lua", "./own.lua"]\n', "own is given twice in the sweep"),
        ('[sweep]\nscript = ["own.lua"]\noption.x = [1]\n', "over scripts or over one option"),
        ("[sweep]\noption.table-size = [1, 2]\n", "table-size is about the data"),
        ('[sweep]\nscript = ["own.lua", "sub/other.lua"]\n', "isn't in .*, where own.lua is"),
        ('[sweep]\nscript = ["gone.lua"]\n', "gone.lua can't be read: No such file"),
        (GROUPS.replace('script = ["own"]', 'script = ["onw"]'), "there is no script 'onw'"),
        ('[quick]\nscript = ["own"]\n', "quick.script: the sweep is over no scripts"),
    ],
)
def test_what_leads_nowhere_is_one_line(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(SpecError, match=words) as caught:
        plan_of(tmp_path, text, quick="quick" in words or "onw" in words)
    assert "\n" not in caught.value.message
    assert caught.value.hint


def test_scripts_need_the_workload_of_that_kind(tmp_path: Path) -> None:
    text = HEAD.replace('kind = "sysbench"\nscript = "oltp_read_write"', 'kind = "oltp"')
    text = text.replace(
        "options = { table-size = 500, range-size = 7 }", 'script = "oltp_read_only"'
    )
    (tmp_path / "experiment.toml").write_text(text + '[sweep]\nscript = ["own.lua"]\n')
    with pytest.raises(SpecError, match=r"sweep.script is for scripts, and oltp has none"):
        read_experiment(tmp_path)
