"""What a check of data says of itself, and which trials are checked at all."""

from __future__ import annotations

from typing import Any

import pytest
from stored_runs import plan_of

from dyno.checks import unchecked
from dyno.spec.checked import is_checked
from dyno.spec.data_check import DataCheck, broken, unknown
from dyno.spec.plan import Plan

TPCC = """
title = "T"
question = "Q?"
[[arm]]
name = "a"
baseline = true
server = "mysql-5.6.24"
[[arm]]
name = "b"
server = "mariadb-10.1.8"
[workload]
kind = "tpcc"
{more}
[protocol]
connections = 4
"""


def plan(more: str = "") -> Plan:
    return plan_of(TPCC.format(more=more))


def check(state: Any, **more: Any) -> DataCheck:
    return DataCheck(name="condition 3", says="no gap", state=state, **more)


def test_each_state_has_its_words() -> None:
    assert check("ok", bad_rows=0).line == "condition 3: ok"
    assert check("broken", bad_rows=1, example="w_id 1").line == (
        "condition 3: 1 bad row, such as w_id 1"
    )
    assert check("broken", bad_rows=1200).line == "condition 3: 1,200 bad rows"
    assert check("not checked", reason="no table").line == "condition 3: not checked, no table"


def test_what_is_unknown_is_neither_ok_nor_broken() -> None:
    checks = [check("ok", bad_rows=0), check("broken", bad_rows=1), check("not checked")]
    assert broken(checks) == checks[1:2]
    assert unknown(checks) == checks[2:]


def test_where_nobody_could_ask_no_check_has_a_number() -> None:
    checks = unchecked("tpcc", "it is gone")
    assert len(checks) == 18
    assert {(c.state, c.bad_rows, c.reason) for c in checks} == {
        ("not checked", None, "it is gone")
    }
    assert len(unchecked("tpcc", "it is gone", just_loaded=True)) == 29


@pytest.mark.parametrize(
    ("more", "first", "later"),
    [
        ("", True, True),
        ('check_data = "every_trial"', True, True),
        ('check_data = "first_block"', True, False),
        ('check_data = "never"', False, False),
    ],
)
def test_which_trials_are_checked(more: str, first: bool, later: bool) -> None:
    made = plan(more)
    checked = [is_checked(made, "a", block=block, position=0) for block in (0, 1)]
    assert checked == [first, later]


def test_points_that_share_a_copy_of_the_data_are_checked_after_the_last() -> None:
    text = TPCC.format(more='check_data = "first_block"').replace("connections = 4", "")
    made = plan_of(text + 'restart = "block"\n[sweep]\nconnections = [1, 2, 4]\n')
    checked = [
        [is_checked(made, t.arm, block=b, position=p) for p, t in enumerate(made.orders[b])]
        for b in (0, 1)
    ]
    # Three points of two arms: the arms take turns at each point.
    assert checked == [[False] * 4 + [True] * 2, [False] * 6]


def test_workloads_without_rules_are_not_checked() -> None:
    assert not is_checked(plan_of(), "a", block=0, position=0)
