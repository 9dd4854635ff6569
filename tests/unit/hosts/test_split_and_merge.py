"""A load plan as several, and the events of several hosts as those of one."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hdrh.histogram import HdrHistogram

from dyno.errors import LoadError, SpecError
from dyno.hosts.merge import merged
from dyno.hosts.split import split
from dyno.spec.changed import changed
from dyno.spec.events import Bin, EventLog, Interval, IntervalOp, LoadFault
from dyno.spec.load_plan import LoadPlan
from dyno.spec.summary import (
    Client,
    OpSummary,
    PhaseClient,
    PhaseSummary,
    SendLag,
    StatementCounts,
    Summary,
)

PLAN = LoadPlan.model_validate(
    {
        "schema": 2,
        "seed": 1,
        "target": {"host": "10.0.0.2"},
        "connections": 32,
        "observe": {"settings": True, "status": True},
        "phases": [{"name": "measure", "duration_s": 5.0}],
        "workload": {"kind": "oltp", "script": "oltp_point_select"},
    }
)
STATEMENTS = {"kind": "statements", "statements": [{"name": "q", "sql": "SELECT 1"}]}
NS = [int(random.Random(n).lognormvariate(13, 1)) for n in range(3000)]


@pytest.mark.parametrize(
    ("weights", "counts"),
    [
        ([1, 1], [16, 16]),
        ([1, 1, 1], [11, 11, 10]),
        ([3, 1], [24, 8]),
        ([1e6, 1], [31, 1]),
    ],
)
def test_each_host_has_the_next_connections(weights: list[float], counts: list[int]) -> None:
    plans = split(PLAN, weights)
    assert [plan.connections for plan in plans] == counts
    for before, after in pairwise(plans):
        assert before.share is not None
        assert after.share is not None
        assert after.share.first == before.share.first + before.connections
    assert {(p.seed, p.share.of if p.share else 0, p.start) for p in plans} == {(1, 32, "go")}
    assert [plan.observe.settings for plan in plans] == [True] + [False] * (len(counts) - 1)
    assert '"share"' not in PLAN.to_json()


def test_one_host_gets_the_plan_as_it_is() -> None:
    statements = changed(
        PLAN,
        workload=LoadPlan.model_validate(
            PLAN.model_dump(by_alias=True) | {"workload": STATEMENTS}
        ).workload,
    )
    assert split(PLAN, [2.5]) == [PLAN]
    assert split(statements, [1]) == [statements]


def test_with_fewer_connections_than_hosts_the_first_ones_have_one_each() -> None:
    few = split(changed(PLAN, connections=2), [1, 1, 5])
    assert [plan.connections for plan in few] == [1, 1]
    assert [plan.share.first for plan in few if plan.share] == [0, 1]
    alone = changed(PLAN, connections=1)
    assert split(alone, [1, 1]) == [alone]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"workload": STATEMENTS}, "statements are run by one host"),
        ({"phases": [{"name": "load"}]}, "the phase 'load' is run by one host"),
        ({"phases": [{"name": "search", "search": {"latency_ms": 5}}]}, "'search' is run by one"),
    ],
)
def test_what_cannot_be_split_is_refused_by_name(change: dict[str, object], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        split(changed(PLAN, **change), [1, 1])


def histogram(values: list[int]) -> HdrHistogram:
    made = HdrHistogram(1, 3_600_000_000_000, 3)
    for value in values:
        made.record_value(value)
    return made


def host(values: list[int], *, complete: bool = True, phase: str = "measure") -> EventLog:
    """What a host says that did ops of these latencies, in two intervals of a second."""
    made = histogram(values)
    half = len(values) // 2
    op = OpSummary(
        op="q",
        outcome="ok",
        count=len(values),
        min_ns=min(values),
        max_ns=max(values),
        mean_ns=sum(values) / len(values),
        p50_ns=int(made.get_value_at_percentile(50)),
        p95_ns=int(made.get_value_at_percentile(95)),
        p99_ns=int(made.get_value_at_percentile(99)),
        p999_ns=min(int(made.get_value_at_percentile(99.9)), max(values)),
        histogram=made.encode().decode(),
    )
    account = PhaseSummary(
        phase=phase,
        elapsed_s=5 + len(values) / 1e6,
        scheduled=len(values) + 3,
        ok=len(values),
        failed={"1213": 2},
        skipped=1,
        unfinished=0,
        ops=[op],
        model="open",
        connections=4,
        retries={"1213": 5},
        counters={"rows": 7},
        reconnects=0,
        statements=StatementCounts(read=len(values), write=1, other=2),
        send_lag=SendLag(count=len(values), p50_ns=10, p99_ns=len(values), max_ns=50),
        backlog_max=9,
        drain_s=0.1,
        client=PhaseClient(cpu_user_s=1.0, cpu_system_s=0.5),
    )
    return EventLog(
        intervals=[
            interval(phase, 0, values[:half], late_ms=0.5),
            interval(phase, 1, values[half:], late_ms=len(values)),
        ],
        faults=[LoadFault(event="error", scope="op", message=f"{len(values)} ops")],
        summary=Summary(
            event="summary",
            complete=complete,
            phases=[account],
            client=Client(
                cpu_user_s=2, cpu_system_s=1, max_rss_bytes=10, bytes_sent=1, bytes_received=2
            ),
        ),
    )


def interval(phase: str, index: int, values: list[int], *, late_ms: float) -> Interval:
    text = histogram(values).encode().decode()
    return Interval(
        event="interval",
        phase=phase,
        index=index,
        t_s=float(index),
        duration_s=1.0,
        ops=[IntervalOp(op="q", outcome="ok", count=len(values), histogram=text)],
        bins=[Bin(ended=len(values), heartbeat_late_ms=late_ms)],
        retries=1,
        backlog=3,
    )


PARTS = [NS[:1000], NS[1000:1100], NS[1100:]]


@pytest.mark.slow
def test_every_percentile_is_that_of_all_ops() -> None:
    log = merged([host(part) for part in PARTS])
    assert log.summary is not None
    (phase,) = log.summary.phases
    (op,) = phase.ops
    one = host(NS).summary
    assert one is not None
    expected = one.phases[0].ops[0]
    assert changed(op, histogram="", mean_ns=0) == changed(expected, histogram="", mean_ns=0)
    assert op.mean_ns == pytest.approx(expected.mean_ns)
    ours, all_ops = HdrHistogram.decode(op.histogram), histogram(NS)
    for tenth in range(1001):
        percent = tenth / 10
        assert ours.get_value_at_percentile(percent) == all_ops.get_value_at_percentile(percent)


def test_counts_add_up_and_the_worst_host_counts_for_what_does_not() -> None:
    log = merged([host(part) for part in PARTS])
    assert log.summary is not None
    (phase,) = log.summary.phases
    assert (phase.scheduled, phase.ok, phase.failed) == (3009, 3000, {"1213": 6})
    assert (phase.skipped, phase.connections, phase.backlog_max) == (3, 12, 27)
    assert (phase.retries, phase.counters) == ({"1213": 15}, {"rows": 21})
    assert phase.statements == StatementCounts(read=3000, write=3, other=6)
    assert phase.elapsed_s == pytest.approx(5.0019)
    assert phase.send_lag is not None
    assert (phase.send_lag.p99_ns, phase.client) == (
        1900,
        PhaseClient(cpu_user_s=3.0, cpu_system_s=1.5),
    )
    assert [(i.index, sum(op.count for op in i.ops), i.backlog) for i in log.intervals] == [
        (0, 1500, 9),
        (1, 1500, 9),
    ]
    assert [i.bins[0].heartbeat_late_ms for i in log.intervals] == [0.5, 1900]
    assert len(log.faults) == 3


def test_what_one_host_does_not_know_nobody_knows() -> None:
    known, other = host(PARTS[0]), host(PARTS[1])
    assert other.summary is not None
    bare = changed(other.summary.phases[0], statements=None, backlog_max=None)
    other.summary = changed(other.summary, phases=[bare], complete=False)
    log = merged([known, other])
    assert log.summary is not None
    assert not log.summary.complete
    assert (log.summary.phases[0].statements, log.summary.phases[0].backlog_max) == (None, None)


def test_a_host_that_was_lost_or_did_something_else_is_an_error() -> None:
    lost = host(PARTS[1])
    lost.summary = None
    with pytest.raises(LoadError, match="1 of 2 load hosts have no summary"):
        merged([host(PARTS[0]), lost])
    with pytest.raises(LoadError, match="did different phases"):
        merged([host(PARTS[0]), host(PARTS[1], phase="warmup")])
