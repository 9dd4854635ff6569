"""Total throughput: what experiments of the workload `linkbench` compare and may claim."""

from __future__ import annotations

import pytest
from spec_samples import TWO_ARMS
from stored_runs import plan_of as expand

from dyno.errors import SpecError
from dyno.spec.linkbench import OPS
from dyno.spec.plan import Plan
from dyno.spec.wording import asks

LINKBENCH = (
    TWO_ARMS
    + """[workload]
kind = "linkbench"
"""
)
CLAIM = """
[[claim]]
says = "b does more"
ratio_of = ["b", "a"]
at_least = 1
"""


def compared(plan: Plan, *, primary: bool) -> list[tuple[str, str]]:
    found = [c.numerator for c in plan.comparisons if c.primary == primary]
    return [(q.metric, q.op) for q in found]


def test_all_ops_decide_and_the_latencies_of_each_stand_beside() -> None:
    plan = expand(LINKBENCH)
    assert compared(plan, primary=True) == [("total_throughput", "get_links_list")]
    assert compared(plan, primary=False) == [("p95", op) for op in OPS]


def test_a_claim_is_about_all_ops_unless_it_says_more() -> None:
    plan = expand(LINKBENCH + CLAIM)
    (claim,) = plan.claims
    assert compared(plan, primary=True) == [("total_throughput", "get_links_list")]
    assert asks(claim) == "total throughput of b / a"


@pytest.mark.parametrize("metric", ["throughput", "p99"])
def test_a_claim_may_be_about_an_op(metric: str) -> None:
    plan = expand(LINKBENCH + CLAIM + f'metric = "{metric}"\nop = "add_link"\n')
    assert compared(plan, primary=True) == [(metric, "add_link")]


def test_the_size_of_tables_belongs_to_no_op() -> None:
    plan = expand(LINKBENCH + CLAIM + 'metric = "bytes_per_row"\n')
    assert compared(plan, primary=True) == [("bytes_per_row", "get_links_list")]
    assert asks(plan.claims[0]) == "row size of b / a"


def test_a_total_has_no_other_op() -> None:
    with pytest.raises(SpecError, match="there is no op 'add_link'"):
        expand(LINKBENCH + CLAIM + 'op = "add_link"\n')


def test_other_workloads_have_no_total() -> None:
    oltp = LINKBENCH.replace('"linkbench"', '"oltp"\nscript = "oltp_read_only"')
    with pytest.raises(SpecError, match="has no metric 'total_throughput'"):
        expand(oltp + CLAIM + 'metric = "total_throughput"\n')
