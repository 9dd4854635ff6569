"""From stored tasks to findings: planted times, throughputs, silences, errors of progress."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from load_runs import at_rate, load_run
from load_runs import plan as oltp
from spec_samples import GOOD
from stored_runs import plan_of, stored_run
from task_runs import (
    CHECKPOINT,
    COLUMN,
    INDEX,
    REFUSED,
    TASKS,
    progress_of,
    task_run,
    with_tasks,
)

from dyno.analysis import LiveJudge, find
from dyno.analysis.model import Findings
from dyno.analysis.tasks.model import TaskRead, Tasks
from dyno.analysis.tasks.progress import SAMPLES_FEWEST, TOO_SHORT, curve, reported
from dyno.analysis.verdicts.model import Compared
from dyno.stats import Estimate
from dyno.store.trial import Progress, TaskRun, Trial

# Runs are made and judged whole: seconds, not for the quick loop.
pytestmark = pytest.mark.slow


def part(findings: Findings) -> Tasks:
    assert findings.tasks is not None
    return findings.tasks


def read(findings: Findings, arm: str, task: str) -> TaskRead:
    (found,) = [r for r in part(findings).tasks if (r.arm, r.task) == (arm, task)]
    return found


def compared(findings: Findings, metric: str, task: str) -> Compared:
    (found,) = [c for c in findings.compared if (c.metric, c.numerator_op) == (metric, task)]
    return found


def with_claims(text: str = TASKS) -> str:
    claims = [
        f'[[claim]]\nsays = "{metric}"\nop = "{INDEX}"\nmetric = "{metric}"\n'
        'ratio_of = ["b", "a"]\nat_most = 1.0\n'
        for metric in ("task_time", "throughput_beside", "throughput_kept")
    ]
    return text + "".join(claims)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    return find(task_run(tmp_path_factory.mktemp("run")))


def test_times_are_those_of_finished_tasks(run: Findings) -> None:
    index = read(run, "a", INDEX)
    assert (index.trials, index.ok, index.n) == (3, 3, 3)
    assert index.time_s is not None
    assert (index.time_s.value, index.min_s, index.max_s) == pytest.approx((4.1, 4.0, 4.2))
    assert index.time_s.interval is not None
    low_s, high_s = index.time_s.interval
    assert low_s < 4.1 < high_s
    assert [block for block, _ in index.blocks] == [0, 1, 2]
    column = read(run, "b", COLUMN)
    assert (column.ok, column.n, column.time_s, column.blocks) == (0, 0, None, [])
    assert read(run, "a", CHECKPOINT).load is None


def test_a_failed_task_is_a_finding(run: Findings) -> None:
    (failure,) = read(run, "b", COLUMN).failures
    assert (failure.code, failure.message, failure.trials) == (1799, REFUSED, 3)
    assert failure.after_s == 2.0
    said = f"Add a column failed on 3 of 3 trials of b: 1799 {REFUSED}; after 2.0 s."
    assert part(run).failed == [said]
    assert said in run.answer
    assert run.run.trials_failed == 0
    assert read(run, "b", COLUMN).rowlog_pct == 99.5


def test_throughput_before_beside_and_after(run: Findings) -> None:
    a, b = read(run, "a", INDEX).load, read(run, "b", INDEX).load
    assert a is not None
    assert b is not None
    assert (a.before_per_s, a.during_per_s) == pytest.approx((1000, 600))
    assert a.kept is not None
    assert a.kept.value == pytest.approx(0.6)
    assert a.kept.bounds == pytest.approx((0.6, 0.6))
    # Its 3 s after are 0.9 s of the slow load, and 2.1 s of the usual one.
    assert a.after_per_s == pytest.approx((0.9 * 600 + 2.1 * 1000) / 3)
    assert (b.before_per_s, b.after_per_s) == pytest.approx((1000, 1000))
    assert b.during_per_s == pytest.approx(300 * 46 / 50)
    assert (a.silent_s, b.silent_s, b.silent_before_s) == (0, 0.4, 0)


def test_the_load_beside_a_task_that_only_failed_says_so(run: Findings) -> None:
    a, b = read(run, "a", COLUMN).load, read(run, "b", COLUMN).load
    assert a is not None
    assert b is not None
    assert (a.of_failed, b.of_failed) == (False, True)
    assert b.during_per_s == pytest.approx(1000)


def test_latencies_are_merged_by_window(run: Findings) -> None:
    load = read(run, "a", INDEX).load
    assert load is not None
    spread = math.exp(0.9)
    assert load.p99_before_ms == pytest.approx(4 * spread, rel=0.05)
    assert load.p95_during_ms == pytest.approx(12 * math.exp(0.3 * 2.755), rel=0.05)
    assert load.p99_during_ms is None, "8,400 ops don't tell a 99th percentile"


def test_more_blocks_tell_the_latency_beside(tmp_path: Path) -> None:
    load = read(find(task_run(tmp_path, blocks=4)), "a", INDEX).load
    assert load is not None
    assert load.p99_during_ms == pytest.approx(12 * math.exp(0.9), rel=0.05)
    assert load.p99_after_ms is None


def test_reported_progress_is_compared_with_time(run: Findings) -> None:
    seen = read(run, "a", INDEX).progress
    assert (seen.trials, seen.samples, seen.source) == (3, 20, "onlineddl")
    assert seen.error_points == pytest.approx(-40)
    assert (seen.error_at_pct, seen.error_reported_pct) == pytest.approx((60, 20))
    assert seen.error_median_points == pytest.approx(30)
    assert seen.still_share == pytest.approx(0.65), "from the start to the first other report"
    assert seen.still_at_pct == 20
    assert seen.fell_points == 0
    (said,) = [line for line in part(run).reports if line.startswith("Add an index on a")]
    assert "up to 40 points behind the truth: it reported 20 % when 60 % of the time" in said
    assert "stood still for up to 65 % of the time, at 20 %" in said
    assert said in run.answer


def test_true_progress_is_called_true(run: Findings) -> None:
    (said,) = [line for line in part(run).reports if line.startswith("Add a column on a")]
    assert said == ("Add a column on a: Innodb_onlineddl_pct_progress was right within 2 points.")


def test_a_server_that_tells_nothing_is_named(run: Findings) -> None:
    seen = read(run, "b", INDEX).progress
    assert (seen.trials, seen.source, seen.error_points) == (0, None, None)
    assert seen.unavailable == "MySQL 5.6.24 doesn't report its progress"
    assert read(run, "b", COLUMN).progress.unavailable == "no trial finished it"
    assert "not a statement" in (read(run, "a", CHECKPOINT).progress.unavailable or "")


def test_row_log_counters_and_sizes(run: Findings) -> None:
    index = read(run, "a", INDEX)
    assert (index.rowlog_pct, index.rowlog_rows) == (40.0, 1900)
    assert index.counters == {"Innodb_defragment_count": 0, "Innodb_pages_created": 51}
    assert read(run, "b", INDEX).counters == {"Innodb_pages_created": 51}
    assert (index.disk_before_bytes, index.disk_after_bytes) == (2000, 3000)
    assert (index.said_before_bytes, index.said_after_bytes) == (1100, 1600)
    assert read(run, "a", COLUMN).disk_after_bytes is None


def test_the_typical_trial_and_the_curves_are_for_pictures(run: Findings) -> None:
    lines = {line.arm: line for line in part(run).timelines}
    assert lines["a"].block == 1
    (first, second) = lines["b"].spans
    assert (first.task, first.begin_s, first.end_s) == (INDEX, 5.0, 10.0)
    assert (second.outcome, second.begin_s, second.end_s) == ("failed", 13.0, 15.0)
    curves = [c for c in part(run).curves if c.task == INDEX]
    assert {(c.arm, c.block) for c in curves} == {("a", 0), ("a", 1), ("a", 2)}
    assert len(curves[0].places) == 20


def test_beside_tasks_nothing_is_cut_as_warm_up(run: Findings) -> None:
    assert {read.cut_s for read in run.series} == {0.0}
    assert all(read.not_steady is None for read in run.stability)
    assert any("the tasks beside it included" in line for line in run.limits)


def test_arms_are_compared_by_time_unless_a_task_only_prepares(run: Findings) -> None:
    assert compared(run, "task_time", INDEX).primary
    named = {c.numerator_op for c in run.compared if c.metric == "task_time"}
    assert named == {INDEX, COLUMN}
    assert compared(run, "task_time", COLUMN).n == 0, "it never ended on b"


def test_claims_are_about_times_and_loads_beside(tmp_path: Path) -> None:
    found = find(task_run(tmp_path, blocks=8, text=with_claims()))
    ratios = {
        metric: ratio.value if (ratio := compared(found, metric, INDEX).ratio) else None
        for metric in ("task_time", "throughput_beside", "throughput_kept")
    }
    assert ratios["task_time"] == pytest.approx(5 / 4.35, rel=0.03)
    assert ratios["throughput_beside"] == pytest.approx(276 / 600, rel=0.01)
    assert ratios["throughput_kept"] == pytest.approx(276 / 600, rel=0.01)
    verdicts = {claim.says: claim.verdict for claim in found.claims}
    assert verdicts == {
        "task_time": "not reproduced",
        "throughput_beside": "reproduced",
        "throughput_kept": "reproduced",
    }
    said = " ".join(found.answer)
    assert "Add an index at 4 connections: b needs 15 % more time than a" in said
    assert "Add an index: b's kept throughput at 4 connections is 54 % lower" in said


def test_a_run_doesn_t_wait_for_a_task_that_always_fails(tmp_path: Path) -> None:
    folder = task_run(tmp_path, blocks=8, change=precise)
    live = LiveJudge(folder)(folder, is_look=True)
    assert live.stop
    assert any("add a column" in line and "no block yet" in line for line in live.lines)
    early = task_run(tmp_path / "early", blocks=7, change=precise)
    assert not LiveJudge(early)(early, is_look=True).stop


def precise(trial: Trial) -> Trial:
    """The index takes as long in each block."""
    checkpoint, index, column = with_tasks(trial).tasks
    index = index.model_copy(update={"elapsed_s": 5.0 if trial.arm == "b" else 4.0})
    return trial.model_copy(update={"tasks": [checkpoint, index, column]})


def without_times(trial: Trial) -> Trial:
    """The index is killed after its timeout on a, never begun on b, and the column is too short."""
    tasks = with_tasks(trial).tasks
    first = {"outcome": "timeout"} if trial.arm == "a" else {"outcome": "not run", "start_s": None}
    return trial.model_copy(
        update={
            "tasks": [
                tasks[1].model_copy(update=first | {"progress": []}),
                tasks[2].model_copy(update={"outcome": "ok", "elapsed_s": 0.01, "progress": []}),
            ]
        }
    )


def test_other_ends_are_counted_separately(tmp_path: Path) -> None:
    found = find(task_run(tmp_path, blocks=1, change=without_times))
    a, b = read(found, "a", INDEX), read(found, "b", INDEX)
    assert (a.timeouts, a.not_run, a.ok, a.n) == (1, 0, 0, 0)
    assert (b.timeouts, b.not_run, b.ok, b.load) == (0, 1, 0, None)
    assert a.load is not None
    assert a.load.of_failed
    assert part(found).failed == [
        "Add an index was killed on 1 of 1 trial of a: it took longer than 10 min."
    ]
    assert read(found, "a", COLUMN).progress.unavailable == TOO_SHORT
    assert {line.arm for line in part(found).timelines} == {"a", "b"}


def test_a_void_trial_tells_ends_and_reports_and_no_times(tmp_path: Path) -> None:
    def void(trial: Trial) -> Trial:
        return with_tasks(trial).model_copy(update={"void": "generator-bound: late"})

    found = find(task_run(tmp_path, blocks=2, change=void))
    index, column = read(found, "a", INDEX), read(found, "b", COLUMN)
    assert (index.trials, index.ok, index.void, index.n) == (2, 2, 2, 0)
    assert (index.time_s, index.load) == (None, None)
    assert index.progress.error_points == pytest.approx(-40)
    assert [failure.trials for failure in column.failures] == [2]
    assert part(found).timelines == []
    assert found.answer[0] == "No trial succeeded, so nothing can be compared."
    assert found.answer[1] == part(found).failed[0]


ALONE = """
[[task]]
name = "rebuild"
sql = ["DELETE FROM t WHERE id % 4", "OPTIMIZE TABLE t"]
"""


def test_tasks_before_statements_are_timed_alone(tmp_path: Path) -> None:
    def change(trial: Trial) -> Trial:
        samples = [Progress(t_s=t, pct=10.0, source="processlist") for t in (0.2, 0.4, 0.6)]
        elapsed_s = 3.0 if trial.arm == "b" else 1.0
        run = TaskRun(name="rebuild", elapsed_s=elapsed_s, outcome="ok", progress=samples)
        return trial.model_copy(update={"tasks": [run]})

    folder = stored_run(
        tmp_path, lambda arm, block: 1.0, blocks=8, plan=plan_of(GOOD + ALONE), change=change
    )
    found = find(folder)
    rebuilt = read(found, "a", "rebuild")
    assert (rebuilt.time_s, rebuilt.load, rebuilt.doing) == (
        Estimate(1.0, (1.0, 1.0)),
        None,
        "DELETE FROM t WHERE id % 4; OPTIMIZE TABLE t",
    )
    assert "several statements" in (rebuilt.progress.unavailable or "")
    assert part(found).curves == []
    assert part(found).timelines == []
    times = compared(found, "task_time", "rebuild")
    assert times.ratio
    assert times.ratio.value == pytest.approx(3)
    assert times.sentence.startswith("rebuild: b needs 3 times the time of a")


def test_runs_without_tasks_have_no_such_part(tmp_path: Path) -> None:
    one = TASKS.split("[[task]]")[0] + "[protocol]\nconnections = 4\n"
    folder = load_run(tmp_path, at_rate(lambda arm, point: 500.0), blocks=1, plan=oltp(one))
    assert find(folder).tasks is None


@given(
    pcts=st.lists(st.floats(0, 100), min_size=SAMPLES_FEWEST, max_size=400),
    elapsed_s=st.floats(0.1, 4000),
)
def test_no_place_of_a_curve_is_worse_than_the_worst(pcts: list[float], elapsed_s: float) -> None:
    samples = [
        Progress(t_s=elapsed_s * i / len(pcts), pct=pct, source="stages")
        for i, pct in enumerate(pcts)
    ]
    run = TaskRun(name="t", elapsed_s=elapsed_s, outcome="ok", progress=samples)
    seen = reported(run)
    assert seen is not None
    assert all(abs(p - s) <= abs(seen.error_points) + 1e-9 for s, p in seen.places)
    assert 0 <= seen.still[0] <= elapsed_s * (1 + 1e-9)
    assert 0 <= seen.fell_points <= 100
    trial = Trial(
        number=1, arm="a", block=0, position=0, status="ok", started_unix_ms=0, duration_s=1
    )
    drawn = curve(trial, run)
    assert drawn is not None
    assert len(drawn.places) <= 122
    kept = max(abs(p - s) for s, p in drawn.places)
    assert kept == pytest.approx(abs(seen.error_points), abs=0.02)


def test_a_report_that_falls_back_is_seen() -> None:
    samples = [
        Progress(t_s=t, pct=pct, source="processlist")
        for t, pct in ((1.0, 30.0), (2.0, 60.0), (3.0, 10.0), (4.0, 90.0))
    ]
    seen = reported(TaskRun(name="t", elapsed_s=5.0, outcome="ok", progress=samples))
    assert seen is not None
    assert seen.fell_points == 50
    assert seen.error_points == pytest.approx(10 - 60)
    assert reported(TaskRun(name="t", elapsed_s=5.0, outcome="failed", progress=samples)) is None


def test_two_samples_make_no_curve() -> None:
    samples = [Progress(t_s=t, pct=10 * t, source="onlineddl") for t in (1.0, 2.0, 3.0)]
    run = TaskRun(name="t", elapsed_s=5.0, outcome="ok", progress=samples)
    assert reported(run) is not None
    assert reported(run.model_copy(update={"progress": samples[:2]})) is None


def test_the_source_with_the_most_samples_counts() -> None:
    seen = reported(TaskRun(name="t", elapsed_s=5.0, outcome="ok", progress=progress_of(5.0, 0)))
    assert seen is not None
    assert seen.source == "onlineddl"
    assert len(seen.places) == 20
