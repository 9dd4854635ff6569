"""The workload `linkbench`: what an experiment may say, what dynoload gets, its cost."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from stored_runs import plan_of as expand

from dyno.errors import SpecError
from dyno.spec.cost import estimate
from dyno.spec.linkbench import LinkbenchKeys, LinkbenchWorkload, LoadLinkbench
from dyno.spec.load_plan import LoadPlan, Target, trial_plan
from dyno.spec.plan import Plan
from dyno.spec.read import read_experiment

GOLDEN = Path(__file__).parents[2] / "golden" / "load" / "plans" / "linkbench.json"
LINKBENCH = """
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
create_options = "ROW_FORMAT=FIXED"
[workload]
kind = "linkbench"
ids = 100000
"""


def linkbench(text: str, **options: Any) -> LinkbenchWorkload:
    workload = expand(text, **options).workload
    assert isinstance(workload, LinkbenchWorkload)
    return workload


def load_parts(plan: Plan) -> list[LoadLinkbench]:
    found = [plan.own_workload.for_load(a.engine, a.create_options) for a in plan.arms]
    return [each for each in found if isinstance(each, LoadLinkbench)]


def test_defaults_are_the_contract_s() -> None:
    workload = LinkbenchWorkload(kind="linkbench")
    apart = {"kind", "session", "check_data", "distribution_sha256"}
    assert workload.model_dump(exclude=apart) == {
        "ids": 100_000,
        "first_id": 1,
        "profile": "fb-as-coded",
        "properties": {},
        "distribution": None,
        "secondary_index": "before",
        "partitions": 16,
        "engine": "innodb",
        "create_options": "",
        "loaders": 4,
    }
    assert workload.writes
    assert workload.has_dataset


def test_the_ops_are_linkbench_s_ten() -> None:
    assert expand(LINKBENCH).ops == [
        "add_link", "delete_link", "update_link", "count_link", "multiget_link",
        "get_links_list", "add_node", "update_node", "delete_node", "get_node",
    ]  # fmt: skip


def test_the_golden_plan_has_every_key() -> None:
    document = json.loads(GOLDEN.read_text("utf-8"))
    assert set(document["workload"]) == set(LinkbenchKeys.model_fields)
    plan = LoadPlan.model_validate(document)
    assert json.loads(plan.to_json())["workload"] == document["workload"]


def test_the_success_file_is_not_a_key_of_an_experiment() -> None:
    assert LoadLinkbench(kind="linkbench", success_file="/tmp/f").success_file == "/tmp/f"
    with pytest.raises(SpecError, match="success_file"):
        expand(LINKBENCH + 'success_file = "/tmp/f"\n')


def test_the_arm_says_the_engine_and_options() -> None:
    plan = expand(LINKBENCH + 'create_options = "ROW_FORMAT=DYNAMIC"\nsession = ["SET a = 1"]\n')
    assert [(each.engine, each.create_options) for each in load_parts(plan)] == [
        ("innodb", "ROW_FORMAT=DYNAMIC"),
        ("MyISAM", "ROW_FORMAT=FIXED"),
    ]
    assert [arm.storage for arm in plan.arms] == [None, "MyISAM ROW_FORMAT=FIXED"]
    trial = trial_plan(plan, plan.arms[0], Target(noop=True))
    assert trial.session == ["SET a = 1"]
    assert '"check_data"' not in trial.to_json()
    assert '"distribution' not in trial.to_json()


def test_options_are_for_tables_that_dynoload_makes() -> None:
    text = LINKBENCH.partition("[workload]")[0] + (
        '[workload]\nkind = "statements"\n[[workload.statement]]\nname = "q"\nsql = "SELECT 1"\n'
    )
    with pytest.raises(SpecError) as raised:
        expand(text)
    assert raised.value.message == "arm 'b': create_options are for load workloads"


def test_properties_are_written_as_a_properties_file_has_them() -> None:
    workload = linkbench(
        LINKBENCH + "[workload.properties]\n"
        "addlink = 9\ngetlinklist_history = 0.3\nlink_multiget_dist_prob = 0.38199999999999995\n"
        'nlinks_func = "real"\nx = true\n'
    )
    assert workload.properties == {
        "addlink": "9",
        "getlinklist_history": "0.3",
        "link_multiget_dist_prob": "0.38199999999999995",
        "nlinks_func": "real",
        "x": "true",
    }


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("ids = 1", "workload.ids"),
        ("ids = 2147483648", "workload.ids"),
        ("first_id = 0", "workload.first_id"),
        ("partitions = 1025", "workload.partitions"),
        ('profile = "fb"', "workload.profile"),
        ('secondary_index = "never"', "workload.secondary_index"),
        ("properties = { addlink = nan }", "addlink is nan"),
        ("properties = { addlink = [9] }", "workload.properties.addlink"),
        ("properties = 9", "workload.properties"),
        ("warehouses = 9", "workload.warehouses"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong: str, message: str) -> None:
    with pytest.raises(SpecError) as raised:
        expand(LINKBENCH.replace("ids = 100000\n", "") + wrong + "\n")
    assert message in raised.value.message


def test_a_distribution_lies_beside_the_experiment(tmp_path: Path) -> None:
    (tmp_path / "Distribution.dat").write_text("nlinks\n1 100\n")
    file = tmp_path / "experiment.toml"
    file.write_text(LINKBENCH + 'distribution = "Distribution.dat"\n')
    workload = read_experiment(tmp_path).workload
    assert isinstance(workload, LinkbenchWorkload)
    assert workload.distribution == str(tmp_path / "Distribution.dat")
    assert workload.distribution_sha256 == hashlib.sha256(b"nlinks\n1 100\n").hexdigest()
    parts = workload.data_parts(None)
    assert parts["distribution_sha256"] == workload.distribution_sha256
    assert "distribution" not in parts, "where the file lies changes no row"
    (tmp_path / "Distribution.dat").unlink()
    with pytest.raises(SpecError, match=r"workload\.distribution: .* can't be read"):
        read_experiment(tmp_path)


def test_the_data_depend_on_what_is_loaded() -> None:
    def parts(more: str) -> object:
        return expand(LINKBENCH + more).own_workload.data_parts("innodb")

    plain = parts("")
    assert parts('check_data = "never"\nsession = ["SET a = 1"]') == plain
    for more in (
        "first_id = 7",
        'profile = "mc-2017"',
        "properties = { node_datasize = 99 }",
        'secondary_index = "after"',
        "partitions = 0",
        'create_options = "ROW_FORMAT=COMPRESSED"',
    ):
        assert parts(more) != plain, more
    assert expand(LINKBENCH).own_workload.data_parts("innodb", "ROW_FORMAT=COMPRESSED") != plain
    assert "success_file" not in expand(LINKBENCH).own_workload.data_parts("innodb")


def test_scale_is_of_ids() -> None:
    assert linkbench(LINKBENCH, scale=0.2).ids == 20_000
    assert linkbench(LINKBENCH, scale=1e-9).ids == 2
    assert linkbench(LINKBENCH, scale=1e9).ids == 2**31 - 1


@pytest.mark.parametrize(
    ("ids", "links", "counts"),
    [(100_000, 1_368_899, 77_206), (1_000_000, 5_249_370, 772_059), (10**7, 44_458_555, 7_720_581)],
)
def test_rows_are_about_those_of_the_original(ids: int, links: int, counts: int) -> None:
    workload = LinkbenchWorkload(kind="linkbench", ids=ids)
    assert workload.links == pytest.approx(links, rel=0.01)
    assert workload.counts == pytest.approx(counts, rel=0.01)


def test_rows_and_cost_are_known_before() -> None:
    plan = expand(LINKBENCH)
    # ids; 4.35 links an id and 930,000 of hubs; 0.772 counts an id
    assert plan.workload.row_count == 100_000 + 1_365_000 + 77_200
    cost = estimate(plan)
    assert cost.dataset_bytes == 26_000_000 + 204_750_000 + 4_632_000
    assert cost.datasets == 2
    assert cost.load_s == pytest.approx(31.384, abs=0.001)


def test_arms_that_differ_in_options_have_datasets_of_their_own() -> None:
    same = LINKBENCH.replace('engine = "MyISAM"\n', "")
    assert estimate(expand(same)).datasets == 2
    assert estimate(expand(same.replace('create_options = "ROW_FORMAT=FIXED"\n', ""))).datasets == 1
