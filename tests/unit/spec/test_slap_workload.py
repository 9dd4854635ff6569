"""The workload `slap`: what an experiment may say, and what dynoload gets."""

from __future__ import annotations

import pytest
from stored_runs import plan_of as expand

from dyno.errors import SpecError
from dyno.spec.cost import estimate
from dyno.spec.slap import LoadSlap, SlapWorkload

SLAP = """
title = "t"
question = "q?"
[[arm]]
name = "a"
server = "s"
engine = "MyISAM"
baseline = true
[[arm]]
name = "b"
server = "s"
[workload]
kind = "slap"
rows = 1000
"""


def test_the_arm_says_the_engine() -> None:
    plan = expand(SLAP)
    assert plan.ops == ["insert", "select"]
    loads = [plan.own_workload.for_load(arm.engine) for arm in plan.arms]
    assert all(isinstance(each, LoadSlap) for each in loads)
    assert [getattr(each, "engine", None) for each in loads] == ["MyISAM", "innodb"]


@pytest.mark.parametrize(
    ("load_type", "ops", "writes"),
    [
        ("mixed", ["insert", "select"], True),
        ("read", ["select"], False),
        ("key", ["select"], False),
        ("write", ["insert"], True),
        ("update", ["update"], True),
    ],
)
def test_ops_are_the_kinds_of_statements(load_type: str, ops: list[str], writes: bool) -> None:
    plan = expand(SLAP + f'load_type = "{load_type}"\n')
    assert plan.ops == ops
    assert isinstance(plan.workload, SlapWorkload)
    assert plan.workload.writes == writes


def test_the_data_depend_on_the_table_alone() -> None:
    def parts(more: str) -> object:
        return expand(SLAP + more).own_workload.data_parts("innodb")

    assert parts('load_type = "key"') == parts("unique_queries = 5")
    assert parts('primary = "guid"') != parts("")
    assert parts("unique_rows = 3") != parts("")


def test_scale_is_of_rows() -> None:
    plan = expand(SLAP, scale=0.1)
    assert isinstance(plan.workload, SlapWorkload)
    assert plan.workload.rows == 100
    assert estimate(plan).dataset_bytes == 100 * (4 + 127)


def test_a_scale_that_leaves_no_key_to_look_for_is_named() -> None:
    by_key = SLAP + 'primary = "guid"\nload_type = "key"\n'
    with pytest.raises(SpecError) as caught:
        expand(by_key, scale=0.0001)
    assert caught.value.message == (
        "--scale 0.0001 doesn't suit the workload: rows is 0, so there is no key to look for"
    )
    assert caught.value.hint == "choose a larger --scale; 1 keeps the workload as it is written"
    with pytest.raises(SpecError, match=r"^quick\.scale 0\.0001 doesn't suit"):
        expand(by_key + "[quick]\nscale = 0.0001\n", quick=True)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("int_columns = 0\nchar_columns = 0", "there is no column to read or write"),
        ('primary = "guid"\nload_type = "key"\nunique_rows = 0', "unique_rows"),
        ('load_type = "kee"', "load_type"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong: str, message: str) -> None:
    with pytest.raises(SpecError) as raised:
        expand(SLAP + wrong + "\n")
    assert message in raised.value.message


def test_keys_need_rows() -> None:
    with pytest.raises(SpecError, match="no key to look for"):
        expand(SLAP.replace("rows = 1000", 'rows = 0\nprimary = "guid"\nload_type = "key"'))
