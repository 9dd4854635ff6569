"""The check of placement: as declared, elsewhere, unseen, and free where that can decide."""

from __future__ import annotations

from typing import Any

from load_runs import plan
from spec_samples import GOOD, LOAD
from stored_runs import plan_of

from dyno.analysis.fairness.model import Fairness
from dyno.analysis.fairness.placement import check
from dyno.analysis.samples import Samples
from dyno.spec.changed import changed
from dyno.spec.plan import Plan
from dyno.store.load_host import LoadHostRead
from dyno.store.placement import Placed
from dyno.store.trial import Trial

SEEN = Placed(server="0-2", generator="3", server_threads=40, generator_threads=2)


def judged(*placed: Placed | None, placement: str = "split") -> Fairness:
    return check(with_placement(plan(), placement), samples(*placed))


def with_placement(plan: Plan, placement: str) -> Plan:
    return changed(plan, protocol=changed(plan.protocol, placement=placement))


def samples(*placed: Placed | None) -> Samples:
    trials = [
        Trial(
            number=number,
            arm="a",
            block=0,
            position=number,
            status="ok",
            started_unix_ms=0,
            duration_s=1.0,
            placement=read,
        )
        for number, read in enumerate(placed, 1)
    ]
    return Samples(trials=trials)


def other(**keys: Any) -> Placed:
    return changed(SEEN, **keys)


def test_threads_on_their_cpus_are_ok() -> None:
    found = judged(SEEN, SEEN)
    assert found.check == "ok"
    assert "the server's on 0-2, the load generator's on 3" in found.says


def test_a_thread_elsewhere_fails_it_once() -> None:
    stray = other(elsewhere=["server: thread purge may run on CPU 0-3"])
    found = judged(SEEN, stray, stray)
    assert found.check == "failed"
    assert found.details == ["server: thread purge may run on CPU 0-3 (trial 2)"]


def test_other_cpus_after_a_resume_fail_it() -> None:
    found = judged(SEEN, other(server="0-6", generator="7"))
    assert found.check == "failed"
    assert "0-2/3 and 0-6/7" in found.says


def test_what_nobody_saw_is_unknown() -> None:
    assert judged(None).check == "unknown"
    assert judged(SEEN, None).check == "unknown"
    found = judged(SEEN, other(server_threads=None))
    assert found.check == "unknown"
    assert "In 1 trial not all threads" in found.says


def test_free_is_a_warning_where_the_kernel_can_decide_a_load() -> None:
    few = plan(LOAD.replace("connections = [1, 8, 64]", "connections = [2, 64]"))
    found = check(with_placement(few, "free"), samples(Placed()))
    assert found.check == "warning"
    assert "with 2 connections its choice" in found.says
    assert found.says.endswith('"split" takes it away; with slices it averages out.')
    sliced = changed(few, protocol=changed(few.protocol, placement="free", slices=8))
    assert check(sliced, samples(Placed())).says.endswith('placement = "split" takes it away.')
    many = plan(LOAD.replace("connections = [1, 8, 64]", "connections = [8, 64]"))
    assert check(with_placement(many, "free"), samples(Placed())).check == "ok"
    statements = with_placement(plan_of(GOOD), "free")
    assert check(statements, samples(Placed())).check == "ok"


def loaded(*, is_here: bool) -> Fairness:
    """Judged where two hosts made the load, of which one may be the server's own."""
    hosts = [LoadHostRead(name="load1"), LoadHostRead(name="load2", is_here=is_here)]
    trials = [changed(trial, load_hosts=hosts) for trial in samples(None).trials]
    return check(with_placement(plan(), "split"), Samples(trials=trials))


def test_a_server_alone_on_its_host_needs_no_set() -> None:
    found = loaded(is_here=False)
    assert found.check == "ok"
    assert found.says.startswith("Other hosts made the load")


def test_a_load_host_that_is_the_servers_own_is_not_elsewhere() -> None:
    assert loaded(is_here=True).check == "unknown"
