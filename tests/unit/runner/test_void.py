"""When the load generator was the limit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyno.runner.void import generator_bound
from dyno.spec.events import OpSummary, PhaseClient, PhaseSummary, SendLag
from dyno.spec.generator import OWN_MAX, SHARED_MAX, Room
from dyno.spec.placement import Sets


def op(name: str, *, count: int, p50_ns: int, outcome: str = "ok") -> OpSummary:
    return OpSummary(
        op=name,
        outcome=outcome,
        count=count,
        min_ns=1,
        max_ns=10 * p50_ns,
        mean_ns=p50_ns,
        p50_ns=p50_ns,
        p95_ns=2 * p50_ns,
        p99_ns=3 * p50_ns,
        p999_ns=4 * p50_ns,
        histogram="",
    )


def phase(
    *,
    client_cpu_s: float | None = None,
    elapsed_s: float = 10.0,
    lag_p99_ns: int | None = None,
    ops: list[OpSummary] | None = None,
) -> PhaseSummary:
    open_load = lag_p99_ns is not None
    return PhaseSummary(
        phase="measure",
        elapsed_s=elapsed_s,
        scheduled=100,
        ok=100,
        failed={},
        skipped=0,
        unfinished=0,
        ops=ops or [],
        model="open" if open_load else "closed",
        client=None
        if client_cpu_s is None
        else PhaseClient(cpu_user_s=client_cpu_s / 2, cpu_system_s=client_cpu_s / 2),
        send_lag=None
        if lag_p99_ns is None
        else SendLag(count=100, p50_ns=0, p99_ns=lag_p99_ns, max_ns=2 * lag_p99_ns),
    )


def test_closed_at_half_of_the_host_gives_a_figure() -> None:
    assert generator_bound(phase(client_cpu_s=10.0), Room(2, SHARED_MAX)) is None


def test_closed_above_half_of_the_host_is_void() -> None:
    said = generator_bound(phase(client_cpu_s=10.4), Room(2, SHARED_MAX))
    assert said is not None
    assert said.startswith("generator-bound: ")
    assert "52% of the CPU time that it may use" in said


def test_on_cores_of_its_own_it_may_use_more_of_them() -> None:
    own = Room.of(Sets(frozenset({0, 1, 2}), frozenset({3})), host_cpus=4)
    assert own == Room(1, OWN_MAX)
    assert generator_bound(phase(client_cpu_s=8.0), own) is None
    assert "81% of the CPU time" in (generator_bound(phase(client_cpu_s=8.1), own) or "")


@given(cpu_s=st.floats(0, 1000), elapsed_s=st.floats(0.1, 1000), cores=st.integers(1, 256))
def test_closed_is_void_exactly_above_the_share(cpu_s: float, elapsed_s: float, cores: int) -> None:
    said = generator_bound(phase(client_cpu_s=cpu_s, elapsed_s=elapsed_s), Room(cores, SHARED_MAX))
    assert (said is not None) == (cpu_s / (elapsed_s * cores) > 0.5)


@pytest.mark.parametrize(
    ("lag_us", "p50_us", "void"),
    [
        (1000, 100, False),  # 1 ms is always allowed
        (1001, 100, True),
        (1001, 20_000, True),
        (1001, 21_000, False),  # 5 % of the median latency, where that is more
        (2000, 40_000, False),
        (2001, 40_000, True),
    ],
)
def test_open_is_void_where_ops_were_sent_late(lag_us: int, p50_us: int, void: bool) -> None:
    read = phase(lag_p99_ns=lag_us * 1000, ops=[op("a", count=5, p50_ns=p50_us * 1000)])
    said = generator_bound(read, Room(1, SHARED_MAX))
    assert (said is not None) == void
    if said is not None:
        assert said.startswith("generator-bound: ")


def test_the_commonest_ok_op_sets_the_allowance() -> None:
    ops = [
        op("rare", count=1, p50_ns=10**9),
        op("common", count=99, p50_ns=10**6),
        op("common", count=10**6, p50_ns=10**9, outcome="failed"),
    ]
    assert generator_bound(phase(lag_p99_ns=1_100_000, ops=ops), Room(1, SHARED_MAX)) is not None


def test_open_is_not_judged_by_cpu_time() -> None:
    read = phase(lag_p99_ns=10, client_cpu_s=1000.0)
    assert generator_bound(read, Room(1, SHARED_MAX)) is None


def test_what_was_not_recorded_voids_nothing() -> None:
    assert generator_bound(phase(), Room(1, SHARED_MAX)) is None
    read = phase(lag_p99_ns=10**9)
    assert read.send_lag is not None
    none_sent = read.model_copy(update={"send_lag": read.send_lag.model_copy(update={"count": 0})})
    assert generator_bound(none_sent, Room(1, SHARED_MAX)) is None
    assert generator_bound(read.model_copy(update={"send_lag": None}), Room(1, SHARED_MAX)) is None


def test_beside_tasks_only_what_the_generator_takes_itself_voids() -> None:
    late = phase(lag_p99_ns=50_000_000, client_cpu_s=1.0, ops=[op("a", count=10, p50_ns=1000)])
    assert generator_bound(late, Room(2, SHARED_MAX)) is not None
    assert generator_bound(late, Room(2, SHARED_MAX), disturbed=True) is None
    busy = phase(lag_p99_ns=1, client_cpu_s=12.0, ops=[op("a", count=10, p50_ns=1000)])
    assert "60%" in (generator_bound(busy, Room(2, SHARED_MAX), disturbed=True) or "")
