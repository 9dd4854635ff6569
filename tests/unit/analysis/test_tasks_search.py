"""From stored searches to findings: planted least values, bounds, and what failures cost."""

from __future__ import annotations

from pathlib import Path

import pytest
from search_runs import (
    HIGH,
    LEAST,
    LOW,
    MIB,
    Search,
    always_failed,
    by_arm,
    found,
    killed,
    never_failed,
    search_run,
)

from dyno.analysis.model import Findings
from dyno.analysis.tasks.model import TaskRead, TaskSearch
from dyno.analysis.tasks.progress import SEARCHED
from dyno.stats import Estimate
from dyno.store.trial import TaskRun

# Runs are made and judged whole: seconds, not for the quick loop.
pytestmark = pytest.mark.slow


def read(findings: Findings, arm: str) -> TaskRead:
    assert findings.tasks is not None
    (one,) = [r for r in findings.tasks.tasks if (r.arm, r.task) == (arm, LEAST)]
    return one


def search(findings: Findings, arm: str) -> TaskSearch:
    one = read(findings, arm).search
    assert one is not None
    return one


def on_b(run: TaskRun) -> Search:
    """Arm b always ends like this; arm a finds a value."""
    return lambda arm, block: by_arm(arm, block) if arm == "a" else run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    return search_run(tmp_path_factory.mktemp("run"))


def test_the_least_value_is_the_median_of_the_blocks(run: Findings) -> None:
    a = search(run, "a")
    assert (a.variable, a.in_bytes) == ("innodb_online_alter_log_max_size", True)
    assert (a.tried_from, a.tried_to, a.within) == (LOW, HIGH, 0.25)
    assert (a.n, a.least_min, a.least_max) == (3, MIB, 4 * MIB)
    assert a.least is not None
    assert a.least.value == 2 * MIB
    assert a.least.interval is not None
    low, high = a.least.interval
    assert low < 2 * MIB < high
    assert a.blocks == [(0, MIB), (1, 2 * MIB), (2, 4 * MIB)]
    assert (a.never_failed, a.always_failed, a.attempts) == (0, 0, 4)


def test_failed_attempts_stand_beside_those_that_succeeded(run: Findings) -> None:
    a = search(run, "a")
    assert (a.failed, a.failed_codes, a.failed_s) == (6, {"1799": 6}, 1.0)
    assert (a.ended, a.ended_s) == (6, 0.8)


def test_a_search_has_neither_time_nor_load(run: Findings) -> None:
    a = read(run, "a")
    assert (a.trials, a.ok, a.n, a.time_s, a.load) == (3, 3, 0, None, None)
    assert a.progress.unavailable == SEARCHED
    assert a.doing.startswith("SET GLOBAL innodb_online_alter_log_max_size = …; ALTER TABLE")
    assert {c.metric for c in run.compared if c.numerator_op == LEAST} == {"task_least"}
    assert run.tasks is not None
    assert all(other.search is None for other in run.tasks.tasks if other.task != LEAST)


def test_arms_are_compared_by_what_they_need(tmp_path: Path) -> None:
    claim = f'[[claim]]\nsays = "no more"\nop = "{LEAST}"\nratio_of = ["b", "a"]\nat_most = 1.1\n'
    made = search_run(tmp_path, blocks=8, more=claim)
    (one,) = [c for c in made.compared if c.metric == "task_least"]
    assert (one.primary, one.n) == (True, 8)
    assert one.ratio
    assert one.ratio.value == pytest.approx(1.5)
    assert one.sentence.startswith(
        "least log: b's least value at 4 connections is 50 % higher than a's"
    )
    assert made.claims[0].verdict == "not reproduced"


@pytest.mark.parametrize(
    ("ended", "never", "always", "ends"),
    [
        (never_failed(), 3, 0, {"ok": 3}),
        (always_failed(), 0, 3, {"failed": 3}),
        (killed(), 0, 0, {"timeout": 3}),
    ],
    ids=["never", "always", "killed"],
)
def test_a_bound_is_not_a_value(
    tmp_path: Path, ended: TaskRun, never: int, always: int, ends: dict[str, int]
) -> None:
    made = search_run(tmp_path, on_b(ended))
    b, whole = search(made, "b"), read(made, "b")
    assert (b.never_failed, b.always_failed) == (never, always)
    assert (b.n, b.least, b.blocks) == (0, None, [])
    failed = sum(failure.trials for failure in whole.failures)
    assert (whole.ok, failed, whole.timeouts) == tuple(
        ends.get(word, 0) for word in ("ok", "failed", "timeout")
    )
    (one,) = [c for c in made.compared if c.metric == "task_least"]
    assert (one.n, one.ratio) == (0, None)


def test_some_trials_may_find_it_and_others_bound_it(tmp_path: Path) -> None:
    ends = (found(MIB), never_failed(), always_failed())
    made = search_run(tmp_path, lambda arm, block: ends[block % 3])
    a = search(made, "a")
    assert (a.n, a.never_failed, a.always_failed, a.least) == (1, 1, 1, Estimate(MIB))
    assert a.attempts == 3, "the one that always failed has no answer"
    assert (a.failed, a.ended) == (3, 4)


def test_void_trials_tell_nothing_of_it(tmp_path: Path) -> None:
    made = search_run(tmp_path, blocks=2, void="generator-bound: late")
    a, whole = search(made, "a"), read(made, "a")
    assert (whole.trials, whole.void) == (2, 2)
    assert (a.n, a.failed, a.attempts, a.failed_s) == (0, 0, None, None)
