"""The workload oltp: sysbench's names and defaults, and what doesn't go together."""

from __future__ import annotations

import tomllib
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spec_samples import LOAD

from dyno.errors import SpecError
from dyno.spec.experiment import Distribution, OltpWorkload
from dyno.spec.oltp import DISTRIBUTIONS, READ_ONLY_SCRIPTS, Script
from dyno.spec.read import parse_experiment

SCRIPTS: tuple[str, ...] = get_args(Script)


def oltp(**keys: Any) -> OltpWorkload:
    return OltpWorkload.model_validate({"kind": "oltp", "script": "oltp_read_write"} | keys)


def refused(keys: str) -> SpecError:
    text = LOAD.replace('script = "oltp_read_write"', keys, 1)
    with pytest.raises(SpecError) as caught:
        parse_experiment(tomllib.loads(text), source="x.toml")
    assert "\n" not in caught.value.message
    return caught.value


def test_the_defaults_are_those_of_sysbench() -> None:
    assert oltp().model_dump(exclude_none=True) == {
        "kind": "oltp",
        "script": "oltp_read_write",
        "tables": 1,
        "table_size": 10000,
        "range_size": 100,
        "point_selects": 10,
        "simple_ranges": 1,
        "sum_ranges": 1,
        "order_ranges": 1,
        "distinct_ranges": 1,
        "range_selects": True,
        "index_updates": 1,
        "non_index_updates": 1,
        "delete_inserts": 1,
        "skip_trx": False,
        "auto_inc": True,
        "secondary": False,
        "create_secondary": True,
        "engine": "innodb",
        "create_options": "",
        "prepared": True,
        "random_points": 10,
        "number_of_ranges": 10,
        "delta": 5,
        "loaders": 4,
        "distribution": {"kind": "special", "iter": 12, "pct": 1, "res": 75},
        "session": [],
    }


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_is_its_only_op_and_says_whether_it_writes(script: str) -> None:
    workload = oltp(script=script)
    assert workload.ops == [script]
    assert workload.writes == (script not in READ_ONLY_SCRIPTS)
    assert workload.has_dataset


def test_four_scripts_only_read() -> None:
    assert len(SCRIPTS) == 11
    assert len(READ_ONLY_SCRIPTS) == 4
    assert set(SCRIPTS) > READ_ONLY_SCRIPTS


@pytest.mark.parametrize("kind", DISTRIBUTIONS)
def test_a_distribution_can_be_named(kind: str) -> None:
    named = oltp(distribution=kind).distribution
    assert named.model_dump(exclude_none=True) == {"kind": kind, **DISTRIBUTIONS[kind]}
    assert named == oltp(distribution={"kind": kind}).distribution
    assert Distribution.model_validate(named.model_dump()) == named


def test_a_distribution_can_be_described() -> None:
    skewed = oltp(distribution={"kind": "zipfian", "exp": 1.2}).distribution
    assert skewed.model_dump(exclude_none=True) == {"kind": "zipfian", "exp": 1.2}


@pytest.mark.parametrize(
    ("keys", "message", "hint"),
    [
        ('script = "oltp_readwrite"', "workload.script: there is no 'oltp_readwrite'", "oltp_read"),
        ('script = "x"', "there is no 'x'", "oltp_read_write"),
        ("", "missing key 'workload.script'", ""),
        (
            'script = "bulk_insert"\ntable_sise = 5',
            "unknown key 'workload.table_sise'",
            "'table_size'",
        ),
        ('script = "bulk_insert"\nwrites = true', "unknown key 'workload.writes'", ""),
        ('script = "oltp_read_only"\nrange_size = 1001', "table_size is 1,000", "range_size"),
        ('script = "oltp_read_only"\nrange_size = 0', "workload.range_size", ""),
        ('script = "oltp_update_index"\nindex_updates = 0', "no statement left", "above 0"),
        (
            'script = "oltp_read_only"\npoint_selects = 0\nrange_selects = false',
            "no statement left",
            "above 0",
        ),
        (
            'script = "oltp_read_write"\ndistribution = "spezial"',
            "workload.distribution.kind: there is no 'spezial'",
            "did you mean 'special'?",
        ),
        (
            'script = "oltp_read_write"\ndistribution = { kind = "uniform", iter = 3 }',
            "workload.distribution: distribution 'uniform' has no iter",
            "none",
        ),
        (
            'script = "oltp_read_write"\ndistribution = { kind = "zipfian", exponent = 1.0 }',
            "unknown key 'workload.distribution.exponent'",
            "'exp'",
        ),
    ],
)
def test_a_mistake_is_named(keys: str, message: str, hint: str) -> None:
    error = refused(keys)
    assert message in error.message
    assert hint in (error.hint or "")


def test_zero_tables_are_refused() -> None:
    text = LOAD.replace("tables = 4", "tables = 0")
    with pytest.raises(SpecError, match=r"workload\.tables: .*got 0"):
        parse_experiment(tomllib.loads(text), source="x.toml")


def test_another_kind_is_refused_with_the_nearest() -> None:
    for kind, hint in (("oltb", "did you mean 'oltp'?"), ("statement", "'statements'")):
        text = LOAD.replace('kind = "oltp"', f'kind = "{kind}"')
        with pytest.raises(SpecError, match=rf"workload\.kind: there is no '{kind}'") as caught:
            parse_experiment(tomllib.loads(text), source="x.toml")
        assert hint in (caught.value.hint or "")
    with pytest.raises(SpecError, match=r"missing key 'workload\.kind'"):
        parse_experiment(tomllib.loads(LOAD.replace('kind = "oltp"\n', "")), source="x.toml")


def test_point_queries_do_not_care_for_range_size() -> None:
    assert oltp(script="oltp_point_select", table_size=10).table_size == 10


@given(st.sampled_from(SCRIPTS), st.integers(1, 50))
def test_scripts_share_rows_that_do_not_depend_on_them(script: str, random_points: int) -> None:
    parts = oltp(script=script, random_points=random_points).data_parts(None)
    plain = oltp().data_parts(None)
    assert (parts == plain) == (script != "bulk_insert")
    assert "random_points" not in parts


def test_rows_depend_on_engine_and_size() -> None:
    plain = oltp().data_parts(None)
    assert plain["engine"] == "innodb"
    assert oltp().data_parts("Aria")["engine"] == "Aria"
    assert oltp(table_size=500).data_parts(None) != plain
    assert oltp(distribution="uniform").data_parts(None) != plain
