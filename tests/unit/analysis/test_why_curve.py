"""One setting in detail: from a finished run to the run that measures its values."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from spec_samples import GOOD
from stored_runs import plan_of, stored_run

from dyno.analysis import find
from dyno.analysis.why import choose, curve_of, curve_plan, measures_values_of
from dyno.errors import SpecError
from dyno.spec.plan import Plan
from dyno.spec.why import Factor

SAME = GOOD.replace('server = "mysql-5.6.24"', 'server = "mariadb-10.1.8"')
TMP = Factor(
    name="max_heap_table_size with tmp_table_size",
    first={"max_heap_table_size": "16777216", "tmp_table_size": "16777216"},
    second={"max_heap_table_size": "67108864", "tmp_table_size": "67108864"},
)
CACHE = Factor(
    name="query_cache_type with query_cache_size",
    first={"query_cache_type": "OFF", "query_cache_size": "0"},
    second={"query_cache_type": "ON", "query_cache_size": "1048576"},
)
SESSION = Factor(
    name="sort", first_session={"sort_buffer_size": "1"}, second_session={"sort_buffer_size": "9"}
)


def planned(path: Path, text: str, *factors: Factor, first: str = "a") -> Plan:
    def seconds(name: str, block: int) -> float:
        return (1.3 if name == "b" else 1.0) * math.exp(0.001 * (block % 3))

    source = stored_run(path, seconds, blocks=12, plan=plan_of(SAME))
    return curve_plan(
        source.plan(),
        choose(find(source)),
        factors,
        curve_of(text),
        first=first,
        run="r",
        budget_s=60,
        seed=5,
    )


def test_each_value_is_an_arm_between_those_of_the_two(tmp_path: Path) -> None:
    plan = planned(tmp_path, "tmp_table_size=32M,16M,64m,48M,32M", TMP)
    assert [arm.name for arm in plan.arms] == [
        "tmp_table_size = 16777216",
        "tmp_table_size = 32M",
        "tmp_table_size = 48M",
        "tmp_table_size = 67108864",
    ]
    assert plan.baseline.name == "tmp_table_size = 16777216"
    assert {str(arm.server) for arm in plan.arms} == {"mariadb-10.1.8"}
    pairs = [(c.numerator.arm, c.denominator.arm, c.primary) for c in plan.comparisons]
    assert pairs == [(arm.name, plan.baseline.name, True) for arm in plan.arms[1:]]
    assert all(
        sorted(t.arm for t in order) == sorted(a.name for a in plan.arms) for order in plan.orders
    )
    assert (plan.claims, plan.protocol.budget) == ([], 60)


def test_a_curve_is_of_one_setting(tmp_path: Path) -> None:
    plan = planned(tmp_path, "tmp_table_size=32M", TMP)
    assert measures_values_of("tmp_table_size", plan)
    assert not measures_values_of("max_heap_table_size", plan)
    assert not measures_values_of("tmp_table", plan)


def test_what_has_the_same_values_goes_with_the_setting(tmp_path: Path) -> None:
    one = planned(tmp_path, "tmp_table_size=32M", TMP).arms[1]
    assert one.settings == {"max_heap_table_size": "32M", "tmp_table_size": "32M"}


def test_what_else_belongs_to_the_factor_is_as_on_the_other_arm(tmp_path: Path) -> None:
    plan = planned(tmp_path, "query_cache_size=512K", CACHE)
    assert plan.arms[0].settings == CACHE.first
    assert plan.arms[1].settings == {"query_cache_type": "ON", "query_cache_size": "512K"}


def test_the_second_arm_may_come_first(tmp_path: Path) -> None:
    plan = planned(tmp_path, "tmp_table_size=32M", TMP, first="b")
    assert plan.baseline.settings == TMP.second
    assert plan.arms[-1].settings == TMP.first


def test_a_setting_of_the_session_is_set_there(tmp_path: Path) -> None:
    plan = planned(tmp_path, "sort_buffer_size=3", SESSION)
    assert [arm.session for arm in plan.arms] == [
        {"sort_buffer_size": value} for value in ("1", "3", "9")
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tmp_table_size", "isn't a setting with values"),
        ("tmp_table_size=,", "isn't a setting with values"),
        ("=4", "isn't a setting with values"),
        ("join_buffer_size=4", "isn't a setting that both servers take and that differs"),
        ("log_bin=2", "has no values between"),
        ("optimizer_switch=mrr=on", "isn't a setting that both servers take"),
    ],
)
def test_what_has_no_curve_is_refused(tmp_path: Path, text: str, said: str) -> None:
    binlog = Factor(name="log_bin", first={"skip_log_bin": 1}, second={"log_bin": "x"})
    switch = Factor(name="o.mrr", first={"optimizer_switch": "a"}, second={"optimizer_switch": "b"})
    with pytest.raises(SpecError, match=said) as caught:
        planned(tmp_path, text, TMP, binlog, switch)
    assert caught.value.hint
