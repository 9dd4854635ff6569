"""The workload `slap`: what an experiment may say, and what dynoload is told."""

from __future__ import annotations

import pytest
from stored_runs import plan_of as expand

from dyno.errors import SpecError
from dyno.spec.cost import estimate
from dyno.spec.dataset import data_parts
from dyno.spec.load_plan import LoadSlap, load_workload
from dyno.spec.slap import SlapWorkload

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
    told = [load_workload(plan.own_workload, arm.engine) for arm in plan.arms]
    assert all(isinstance(each, LoadSlap) for each in told)
    assert [getattr(each, "engine", None) for each in told] == ["MyISAM", "innodb"]


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
        return data_parts(expand(SLAP + more).own_workload, "innodb")

    assert parts('load_type = "key"') == parts("unique_queries = 5")
    assert parts('primary = "guid"') != parts("")
    assert parts("unique_rows = 3") != parts("")


def test_scale_is_of_rows() -> None:
    plan = expand(SLAP, scale=0.1)
    assert isinstance(plan.workload, SlapWorkload)
    assert plan.workload.rows == 100
    assert estimate(plan).dataset_bytes == 100 * (4 + 127)


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
