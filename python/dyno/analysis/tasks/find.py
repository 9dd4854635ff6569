"""Tasks of a run: how long they took, how they ended, and what they did to the load beside them.

Ratios between arms are in `compare`, as for every metric. A task that failed is a finding.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from dyno.analysis.load.histograms import Histogram, merged
from dyno.analysis.load.trial import LoadTrial
from dyno.analysis.measures import carries
from dyno.analysis.samples import Samples
from dyno.analysis.tables.size import known_sum
from dyno.analysis.tasks.around import (
    WINDOWS,
    LoadAround,
    When,
    latency_texts,
    load_around,
    ran_beside,
)
from dyno.analysis.tasks.model import (
    ProgressCurve,
    TaskFailure,
    TaskLoad,
    TaskRead,
    Tasks,
    TaskSpan,
    TaskTimeline,
)
from dyno.analysis.tasks.progress import curve, progress
from dyno.analysis.tasks.search import searched
from dyno.analysis.tasks.waits import waits
from dyno.analysis.tasks.words import failed, reports
from dyno.analysis.values import greatest_of_known, median_of_known, over_blocks
from dyno.spec.plan import Plan, Quantity
from dyno.spec.task import Task
from dyno.store.run import RunFolder
from dyno.store.trial import TableSize, TaskRun, Trial

QUANTILES = (0.95, 0.99)
# The server's counters that concern maintenance; the whole group if the name ends with "_".
COUNTERS = (
    "Innodb_defragment_",
    "Innodb_pages_created",
    "Innodb_pages_read",
    "Innodb_pages_written",
    "Innodb_data_written",
    "Innodb_data_fsyncs",
    "Innodb_os_log_written",
    "Innodb_num_pages_page_compressed",
    "Innodb_num_page_compressed_trim_op",
    "Innodb_page_compression_saved",
    "Innodb_row_lock_waits",
)

# Encoded histograms by task, arm, point, whether the task finished, and window.
Texts = dict[tuple[str, str, int, bool, When], list[str]]


def tasks(plan: Plan, folder: RunFolder, samples: Samples) -> Tasks | None:
    """None for a run without tasks."""
    if not plan.tasks:
        return None
    texts = _texts(plan, folder, samples)
    reads = [
        _read(task, arm.name, point, trials, samples, texts)
        for task in plan.tasks
        for point in range(len(plan.points))
        for arm in plan.arms
        if task.is_for(arm.name) and (trials := _trials(samples, task, arm.name, point))
    ]
    return Tasks(
        failed=list(failed(plan, reads)),
        reports=list(reports(reads)),
        tasks=reads,
        curves=list(_curves(plan, samples)),
        timelines=list(_timelines(plan, samples)),
    )


def _texts(plan: Plan, folder: RunFolder, samples: Samples) -> Texts:
    found: Texts = {}
    for load in samples.loads:
        trial = load.trial
        done = {run.name: run.outcome == "ok" for run in trial.tasks}
        for (name, when), texts in latency_texts(folder, load, plan).items():
            found.setdefault((name, trial.arm, trial.point, done[name], when), []).extend(texts)
    return found


def _trials(samples: Samples, task: Task, arm: str, point: int) -> list[Trial]:
    """The trials of an arm at a point that have the task. Void ones, too: how the task ended and
    what the server reported holds whatever the load generator did.
    """
    return [
        trial
        for trial in _ended(samples)
        if (trial.arm, trial.point) == (arm, point)
        and any(run.name == task.name for run in trial.tasks)
    ]


def _ended(samples: Samples) -> list[Trial]:
    return [trial for trial in samples.trials if trial.status == "ok"]


def _run(trial: Trial, task: Task) -> TaskRun:
    return next(run for run in trial.tasks if run.name == task.name)


def _read(
    task: Task, arm: str, point: int, trials: list[Trial], samples: Samples, texts: Texts
) -> TaskRead:
    runs = [_run(trial, task) for trial in trials]
    outcomes = [run.outcome for run in runs]
    key = Quantity(arm=arm, op=task.name, point=point, metric="task_time")
    by_block = samples.of(key)
    times = list(by_block.values())
    reports = [sample for run in runs for sample in run.progress]
    return TaskRead(
        task=task.name,
        arm=arm,
        point=point,
        doing=task.doing,
        beside=task.beside,
        trials=len(runs),
        ok=outcomes.count("ok"),
        timeouts=outcomes.count("timeout"),
        not_run=outcomes.count("not run"),
        void=sum(not trial.is_good for trial in trials),
        failures=list(_failures(runs)),
        n=len(times),
        time_s=over_blocks(times),
        min_s=min(times, default=None),
        max_s=max(times, default=None),
        blocks=sorted(by_block.items()),
        load=_load(task, arm, point, samples, texts) if task.beside and not task.least else None,
        search=searched(task, arm, point, trials, samples),
        progress=progress(task, trials),
        waits=waits(runs),
        rowlog_pct=greatest_of_known(sample.rowlog_pct for sample in reports),
        rowlog_rows=greatest_of_known(sample.rowlog_rows for sample in reports),
        counters=_counters(runs),
        disk_before_bytes=median_of_known(_on_disk(run.sizes_before) for run in runs),
        disk_after_bytes=median_of_known(_on_disk(run.sizes_after) for run in runs),
        said_before_bytes=median_of_known(_said(run.sizes_before) for run in runs),
        said_after_bytes=median_of_known(_said(run.sizes_after) for run in runs),
    )


def _failures(runs: list[TaskRun]) -> Iterator[TaskFailure]:
    """By error number, the most frequent first."""
    by_code: dict[int | None, list[TaskRun]] = {}
    for run in runs:
        if run.outcome == "failed":
            by_code.setdefault(run.code, []).append(run)
    for code, found in sorted(by_code.items(), key=lambda item: -len(item[1])):
        yield TaskFailure(
            code=code,
            message=found[0].message or "",
            trials=len(found),
            after_s=median(run.elapsed_s for run in found),
        )


def _load(task: Task, arm: str, point: int, samples: Samples, texts: Texts) -> TaskLoad | None:
    """For the trials that finished the task or, if there are none, for the others."""
    runs = [
        (load, run)
        for load in samples.at(arm, point)
        for run in load.trial.tasks
        if run.name == task.name and run.start_s is not None and run.outcome != "not run"
    ]
    done = [(load, run) for load, run in runs if run.outcome == "ok"]
    seen = [load_around(load, run, task) for load, run in done or runs]
    if not seen:
        return None
    kept = [each.kept for each in seen if each.kept is not None]
    around = {
        when: merged(texts.get((task.name, arm, point, bool(done), when), [])) for when in WINDOWS
    }
    p95_ms, p99_ms = (
        {when: _quantile_ms(histogram, q) for when, histogram in around.items()} for q in QUANTILES
    )
    return TaskLoad(
        n=len(seen),
        of_failed=not done,
        before_per_s=_per_s(seen, "before"),
        during_per_s=_per_s(seen, "during"),
        after_per_s=_per_s(seen, "after"),
        kept=over_blocks(kept),
        silent_before_s=_longest(seen, "before"),
        silent_s=_longest(seen, "during"),
        p95_before_ms=p95_ms["before"],
        p95_during_ms=p95_ms["during"],
        p95_after_ms=p95_ms["after"],
        p99_before_ms=p99_ms["before"],
        p99_during_ms=p99_ms["during"],
        p99_after_ms=p99_ms["after"],
    )


def _per_s(seen: list[LoadAround], when: When) -> float | None:
    return median_of_known(each.per_s[when] for each in seen)


def _longest(seen: list[LoadAround], when: When) -> float | None:
    known = [value for each in seen if (value := each.silent_s[when]) is not None]
    return max(known, default=None)


def _quantile_ms(histogram: Histogram, quantile: float) -> float | None:
    """None if there are too few ops for it."""
    if not carries(histogram.count, quantile):
        return None
    return histogram.quantiles_ms([quantile])[0]


def _counters(runs: list[TaskRun]) -> dict[str, float]:
    """Medians of how far they moved. A counter with a final value that didn't move is 0; one that
    was never seen is left out.
    """
    ended = [run for run in runs if run.outcome != "not run"]
    names = {name for run in ended for name in (*run.status, *run.status_after)}
    return {
        name: float(median(run.status.get(name, 0) for run in ended))
        for name in sorted(names)
        if any(name == known or (known[-1] == "_" and name.startswith(known)) for known in COUNTERS)
    }


def _on_disk(tables: list[TableSize]) -> int | None:
    return known_sum(table.disk_bytes for table in tables) if tables else None


def _said(tables: list[TableSize]) -> int | None:
    if not tables:
        return None
    return known_sum(known_sum((table.data_bytes, table.index_bytes)) for table in tables)


def _curves(plan: Plan, samples: Samples) -> Iterator[ProgressCurve]:
    """For tasks that are one statement: with several, the server reports on each separately."""
    for task in plan.tasks:
        if len(task.statements) != 1:
            continue
        for trial in _ended(samples):
            for run in trial.tasks:
                found = curve(trial, run) if run.name == task.name else None
                if found is not None:
                    yield found


def _timelines(plan: Plan, samples: Samples) -> Iterator[TaskTimeline]:
    for point in range(len(plan.points)):
        for arm in plan.arms:
            loads = [load for load in samples.at(arm.name, point) if any(ran_beside(load, plan))]
            if loads:
                ordered = sorted(loads, key=lambda load: _beside_s(load, plan))
                yield _timeline(ordered[(len(ordered) - 1) // 2], plan)


def _beside_s(load: LoadTrial, plan: Plan) -> float:
    return sum(run.elapsed_s for run, _ in ran_beside(load, plan))


def _timeline(load: LoadTrial, plan: Plan) -> TaskTimeline:
    spans = []
    for run, _ in ran_beside(load, plan):
        assert run.start_s is not None
        begin_s = run.start_s - load.begin_s
        spans.append(
            TaskSpan(
                task=run.name,
                outcome=run.outcome,
                begin_s=round(begin_s, 3),
                end_s=round(begin_s + run.elapsed_s, 3),
            )
        )
    trial = load.trial
    return TaskTimeline(arm=trial.arm, point=trial.point, block=trial.block, spans=spans)
