"""Load time and steadiness: what experiments may claim of them, and what timed loads cost."""

from __future__ import annotations

import pytest
from spec_samples import GOOD, LOAD, TWO_ARMS
from stored_runs import plan_of as expand

from dyno.errors import SpecError
from dyno.spec.cost import estimate
from dyno.spec.plan import Plan
from dyno.spec.wording import asks

TIMED = LOAD.replace('duration = "20s"', 'duration = "20s"\nloads = 8').replace(
    'duration = "2s"', 'duration = "2s"\nloads = 0'
)
CLAIM = """
[[claim]]
says = "b loads faster"
metric = "load_time"
ratio_of = ["b", "a"]
at_most = 0.9
"""
STEADY = CLAIM.replace("load_time", "steadiness")
GRAPH = (
    TWO_ARMS
    + """[workload]
kind = "linkbench"
ids = 100000
[protocol]
warmup = "1s"
duration = "9s"
loads = 3
blocks = { first = 2, last = 5 }
budget = "10h"
"""
)


def of(plan: Plan, metric: str) -> list[tuple[int, bool]]:
    found = [c for c in plan.comparisons if c.metric == metric]
    return [(c.point, c.primary) for c in found]


def test_loads_are_compared_once_whatever_the_levels() -> None:
    plan = expand(TIMED)
    assert plan.protocol.loads == 8
    assert of(plan, "load_time") == [(0, False)]
    assert of(plan, "steadiness") == []


def test_a_claim_about_loads_needs_no_level_and_has_none() -> None:
    plan = expand(TIMED + CLAIM)
    assert of(plan, "load_time") == [(0, True)]
    assert plan.claims[0].at_label == ""
    assert asks(plan.claims[0]) == "load time of b / a"
    with pytest.raises(SpecError, match="the same at all levels"):
        expand(TIMED + CLAIM + "at = 8\n")


def test_a_claim_about_loads_needs_loads() -> None:
    with pytest.raises(SpecError, match="no load is timed") as caught:
        expand(LOAD + CLAIM)
    assert "protocol.loads" in str(caught.value.hint)


def test_the_quick_form_may_leave_the_loads_out() -> None:
    assert expand(TIMED + CLAIM, quick=True).protocol.loads == 0


def test_steadiness_is_claimed_at_a_level() -> None:
    plan = expand(LOAD + STEADY + "at = 8\n")
    assert of(plan, "steadiness") == [(1, True)]
    assert asks(plan.claims[0]) == ("variation of throughput of b / a at 8 connections")


def test_statements_have_neither() -> None:
    with pytest.raises(SpecError, match=r"protocol\.loads is for load workloads"):
        expand(GOOD + "[protocol]\nloads = 2\n")


def test_timed_loads_are_in_the_estimate() -> None:
    timed, without = (
        estimate(expand(text)) for text in (GRAPH, GRAPH.replace("loads = 3", "loads = 0"))
    )
    assert timed.load_s is not None
    # Two datasets are loaded in each of the first three blocks.
    assert timed.first_look_s - without.first_look_s == pytest.approx(2 * timed.load_s)
    assert timed.last_look_s - without.last_look_s == pytest.approx(3 * timed.load_s)
