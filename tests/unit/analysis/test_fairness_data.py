"""Fairness by the data: broken rules are named by arm; what nobody checked isn't called whole."""

from __future__ import annotations

from typing import Any

from spec_samples import GOOD
from stored_runs import plan_of

from dyno.analysis.fairness.data import checks
from dyno.analysis.fairness.model import Fairness
from dyno.analysis.samples import Samples
from dyno.spec.data_check import DataCheck
from dyno.spec.plan import Plan
from dyno.store.trial import Trial

OK = DataCheck(name="condition 1", says="sums agree", state="ok", bad_rows=0)
BROKEN = DataCheck(
    name="s_ytd", says="stock moves", state="broken", bad_rows=7, example="w_id 1, i_id 5"
)
UNKNOWN = DataCheck(name="s_ytd", says="stock moves", state="not checked", reason="it went away")


def plan(more: str = "") -> Plan:
    head = GOOD.partition("[workload]")[0]
    return plan_of(f'{head}\n[workload]\nkind = "tpcc"\n{more}\n[protocol]\nconnections = 4\n')


def trial(number: int, arm: str, *data_checks: DataCheck, **more: Any) -> Trial:
    found: dict[str, Any] = {
        "number": number,
        "arm": arm,
        "block": (number - 1) // 2,
        "position": (number - 1) % 2,
        "status": "ok",
        "started_unix_ms": 0,
        "duration_s": 1,
        "data_checks": list(data_checks),
    }
    return Trial.model_validate(found | more)


def judged(*trials: Trial, more: str = "") -> Fairness:
    (found,) = checks(plan(more), Samples(trials=list(trials)))
    return found


def test_whole_data_are_ok() -> None:
    found = judged(trial(1, "a", OK, OK), trial(2, "b", OK, OK))
    assert (found.name, found.check) == ("data", "ok")
    assert found.says == "All 2 rules of the data held after each trial of the run."


def test_broken_rules_are_named_by_arm_with_an_example() -> None:
    found = judged(
        trial(1, "a", OK), trial(2, "b", OK, BROKEN), trial(3, "b", BROKEN), trial(4, "a", OK)
    )
    assert found.check == "failed"
    assert found.says.startswith("After 2 trials of 4 the data broke rules of the workload: b ")
    assert found.details == [
        "b, trial 2: s_ytd: 7 bad rows, such as w_id 1, i_id 5 (stock moves); in 2 trials"
    ]


def test_what_nobody_checked_is_unknown_and_broken_goes_first() -> None:
    found = judged(trial(1, "a", OK), trial(2, "b", OK, UNKNOWN))
    assert (found.check, found.details) == (
        "unknown",
        ["b, trial 2: s_ytd: not checked, it went away"],
    )
    assert judged(trial(1, "a", OK), trial(2, "b")).check == "unknown"
    assert judged(trial(1, "a", BROKEN), trial(2, "b", UNKNOWN)).check == "failed"
    assert judged(trial(1, "a", OK, status="failed", failure="x")).check == "unknown"


def test_only_the_trials_that_were_to_be_checked_count() -> None:
    first_alone = 'check_data = "first_block"'
    trials = (trial(1, "a", OK), trial(2, "b", OK), trial(3, "a"), trial(4, "b"))
    found = judged(*trials, more=first_alone)
    assert found.check == "ok"
    assert "the first block" in found.says
    assert judged(*trials).check == "unknown"
    failed = trial(3, "a", status="failed", failure="x")
    assert judged(*trials[:2], failed).check == "ok"


def test_an_unchecked_arm_is_unknown() -> None:
    failed = trial(2, "b", status="failed", failure="x")
    more = 'check_data = "first_block"'
    found = judged(trial(1, "a", OK), failed, trial(3, "a"), trial(4, "b"), more=more)
    assert (found.check, found.says) == (
        "unknown",
        "The data of b were not checked: the trial to check failed.",
    )


def test_never_is_unknown_and_other_workloads_have_no_such_check() -> None:
    assert judged(trial(1, "a"), more='check_data = "never"').check == "unknown"
    assert list(checks(plan_of(), Samples())) == []
