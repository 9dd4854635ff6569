"""What a run shows about its tasks (maintenance), as tables and words for every report.

Derived from Findings alone. Their ratios between arms are among the comparisons.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from dyno.analysis.model import Findings
from dyno.analysis.signed import number
from dyno.analysis.tasks.model import TaskLoad, TaskProgress, TaskRead, Tasks, TaskWaits
from dyno.analysis.tasks.progress import NOT_DONE, NOT_SQL, SEARCHED, TOO_SHORT
from dyno.analysis.tasks.words import SOURCES
from dyno.report import load, numbers
from dyno.report.section import Lines, Pairs, Section, Table, problems
from dyno.report.sections import searches
from dyno.report.sections.points import size
from dyno.report.sheets import Cell, Column, Group, Row, Sheet, estimated, given, missing
from dyno.spec.metrics import METRICS
from dyno.spec.units import plural

TITLE = "Maintenance"
TIMES_MEAN = (
    "Times are those of the good trials that finished the task: the median of the blocks, "
    "and below it the 95 % interval of that arm alone, where there are three blocks. A task that "
    "failed is a result of the run, with the server's error. The row log is what an online ALTER "
    "keeps of the changes beside it: the most that was seen. Sizes are of all tables, before the "
    "task and after it: what their files take on disk, and in pages by the server's word."
)
BESIDE_MEAN = (
    "The load beside the task, ok ops of all kinds. Before and after are the undisturbed seconds "
    "next to it. Kept is the throughput during the task divided by that before it, by trial. "
    "Without an op is the longest time in which no op ended, over all trials; below it, the same "
    "before the task. The 95th percentiles, and the 99th where there are 10,000 ops, are those of "
    "all trials together, by the second in which an op ended. A second in which the task ran, even "
    "in part, counts as during it."
)
PROGRESS_MEAN = (
    "What the server reported, against the share of the task's time that had gone by. A report "
    "that is always right is off by 0 points. Only tasks that succeeded show that share. With few "
    "samples the real worst error may be larger than the one that was seen."
)
COUNTERS_MEAN = (
    "By how much the server's counters moved during the task, medians over the trials. They are "
    "the whole server's: those of a load beside it are in them."
)
LINES_MOST = 16
NO_END = "no good trial finished it"
NOTHING_BESIDE = "not observed: no load ran beside it, or it was too short"
FEW = "too few ops for this percentile"


def of(findings: Findings) -> Tasks:
    """The part that only runs with tasks have. Raises ValueError for another run."""
    if findings.tasks is None:
        raise ValueError("a run without tasks")
    return findings.tasks


def says(findings: Findings) -> str:
    """How many tasks ended in which way."""
    reads = of(findings).tasks
    trials = sum(read.trials for read in reads)
    failed = sum(failure.trials for read in reads for failure in read.failures)
    ends = {
        "finished": sum(read.ok for read in reads),
        "failed": failed,
        "killed after its timeout": sum(read.timeouts for read in reads),
        "never begun": sum(read.not_run for read in reads),
    }
    names = list(dict.fromkeys(read.task for read in reads))
    if not trials:
        return "No trial reached its tasks."
    said = ", ".join(f"{count:,} {end}" for end, count in ends.items() if count)
    return f"{plural(len(names), 'task')}, done {plural(trials, 'time')} over all arms: {said}."


def lines(findings: Findings) -> Iterator[str]:
    """Each task on each arm in a line: time, load beside it, row log; if there are very many, only
    the first, beginning with those that are compared.
    """
    found = list(_lines(findings))
    yield from found[:LINES_MOST]
    if len(found) > LINES_MOST:
        yield f"{len(found) - LINES_MOST:,} more are in the tables."


def _lines(findings: Findings) -> Iterator[str]:
    swept = len(findings.points) > 1
    labels = {point.index: point.label for point in load.points_of(findings)}
    compared = {
        pair.numerator_op for pair in findings.compared if METRICS[pair.metric].owner == "task"
    }
    for read in sorted(of(findings).tasks, key=lambda read: read.task not in compared):
        at = f", {labels[read.point]}" if swept and read.point in labels else ""
        if read.search is not None:
            parts = [searches.said(read.search)]
        else:
            parts = [_time_said(read), _load_said(read.load), _rowlog_said(read)]
        if any(parts):
            yield f"{read.task}, {read.arm}{at}: {'; '.join(filter(None, parts))}."


def done(findings: Findings) -> list[tuple[str, str]]:
    """What each task does: its SQL, or the word for it."""
    return list({read.task: read.doing for read in of(findings).tasks}.items())


def _time_said(read: TaskRead) -> str:
    if read.time_s is None:
        return "never finished" if not read.ok else "no good trial to take a time from"
    return numbers.estimate(read.time_s, plural(read.n, "block"), numbers.seconds)


def _load_said(found: TaskLoad | None) -> str:
    if found is None or found.kept is None:
        return ""
    kept = numbers.point(found.kept, numbers.percent)
    said = f"the load beside it kept {kept} of its throughput"
    if bounds := numbers.ends(found.kept, numbers.percent):
        said += f" ({bounds})"
    if found.of_failed:
        said += " until it failed"
    if found.silent_s:
        said += f", at the longest {numbers.seconds(found.silent_s)} without an op"
    return said


def _rowlog_said(read: TaskRead) -> str:
    if not read.rowlog_pct:
        return ""
    return f"its row log was at most {read.rowlog_pct:.3g} % full"


def wrong(findings: Findings) -> Iterator[str]:
    """What failed, was killed or never started, in words."""
    yield from of(findings).failed
    for read in of(findings).tasks:
        if read.not_run:
            yield f"{read.task} was never begun in {plural(read.not_run, 'trial')} of {read.arm}."


def _in_groups(
    findings: Findings, cells: Callable[[TaskRead], list[Cell] | None]
) -> Iterator[Group]:
    """A group per task, and per point if there are several; a row per arm that has cells."""
    labels = {point.index: point.label for point in load.points_of(findings)}
    baselines = {arm.name for arm in findings.arms if arm.baseline}
    found: dict[tuple[str, int], list[Row]] = {}
    for read in of(findings).tasks:
        made = cells(read)
        if made is not None:
            flag = "baseline" if read.arm in baselines else ""
            found.setdefault((read.task, read.point), []).append(Row(read.arm, made, flag))
    for (task, point), rows in found.items():
        at = labels.get(point, "") if len(labels) > 1 else ""
        yield Group(", ".join(filter(None, (task, at))), rows)


def times(findings: Findings) -> Sheet:
    """How long each task took, how it ended, its row log, and the tables' sizes."""
    logged = any(read.rowlog_pct is not None for read in of(findings).tasks)
    columns = [
        Column("Time", "less is better"),
        Column("Fastest to slowest"),
        Column("Finished"),
        *([Column("Row log, most")] if logged else []),
        Column("On disk after"),
        Column("In pages after"),
        Column("n"),
    ]

    def cells(read: TaskRead) -> list[Cell] | None:
        if read.search is not None:
            return None
        return [
            _time(read),
            _span(read),
            _ends(read),
            *([_rowlog(read)] if logged else []),
            _sizes(read.disk_before_bytes, read.disk_after_bytes),
            _sizes(read.said_before_bytes, read.said_after_bytes),
            given(str(read.n), warn=read.n == 0),
        ]

    return Sheet("Times of tasks", "Arm", columns, list(_in_groups(findings, cells)), "Task")


def _time(read: TaskRead) -> Cell:
    return estimated(read.time_s, numbers.seconds, why=NO_END)


def _span(read: TaskRead) -> Cell:
    span = numbers.span(read.min_s, read.max_s, numbers.seconds)
    return given(span) if span else missing(NO_END)


def _ends(read: TaskRead) -> Cell:
    others = [
        f"{failure.trials:,} failed: {failure.code or 'no error number'}"
        for failure in read.failures
    ]
    others += [f"{read.timeouts:,} killed after its timeout"] if read.timeouts else []
    others += [f"{read.not_run:,} never begun"] if read.not_run else []
    others += [f"{read.void:,} void"] if read.void else []
    return given(f"{read.ok:,} of {read.trials:,}", ", ".join(others), warn=bool(others))


def _rowlog(read: TaskRead) -> Cell:
    if read.rowlog_pct is None:
        return missing()
    rows = "" if read.rowlog_rows is None else plural(read.rowlog_rows, "row")
    return given(f"{read.rowlog_pct:.3g} %", rows)


def _sizes(before: float | None, after: float | None) -> Cell:
    made, was = size(after), size(before)
    return made if made.missing or was.missing else given(made.text, f"from {was.text}")


def searched(findings: Findings) -> Sheet:
    """The least values that tasks found."""

    def cells(read: TaskRead) -> list[Cell] | None:
        if read.search is None:
            return None
        return searches.cells(read.search, answered=_ends(read))

    groups = list(_in_groups(findings, cells))
    return Sheet(searches.TITLE, "Arm", searches.COLUMNS, groups, "Task")


def loads_around(findings: Findings) -> Sheet:
    """The load before, during and after each task."""
    columns = [
        Column("Before, ops/s"),
        Column("During", "more is better"),
        Column("After"),
        Column("Kept", "more is better"),
        Column("Without an op", "less is better"),
        Column("95 % before"),
        Column("95 % during", "less is better"),
        Column("95 % after"),
        Column("n"),
    ]

    def cells(read: TaskRead) -> list[Cell] | None:
        return None if read.load is None else _beside(read.load, read.waits)

    groups = list(_in_groups(findings, cells))
    return Sheet("The load beside tasks", "Arm", columns, groups, "Task")


def _beside(read: TaskLoad, waits: TaskWaits | None) -> list[Cell]:
    rates = (read.before_per_s, read.during_per_s, read.after_per_s)
    late = (
        (read.p95_before_ms, read.p99_before_ms),
        (read.p95_during_ms, read.p99_during_ms),
        (read.p95_after_ms, read.p99_after_ms),
    )
    before, during, after = (_rate(value) for value in rates)
    return [
        before,
        given(during.text, "until it failed") if read.of_failed and not during.missing else during,
        after,
        _kept(read),
        _silent(read, waits),
        *(_late(*ms) for ms in late),
        given(str(read.n)),
    ]


def _late(p95_ms: float | None, p99_ms: float | None) -> Cell:
    if p95_ms is None:
        return missing(FEW)
    below = "" if p99_ms is None else f"99 %: {numbers.milliseconds(p99_ms)}"
    return given(numbers.milliseconds(p95_ms), below)


def _rate(value: float | None) -> Cell:
    return missing(NOTHING_BESIDE) if value is None else given(numbers.rate(value))


def _kept(read: TaskLoad) -> Cell:
    return estimated(read.kept, numbers.percent, why=NOTHING_BESIDE)


def _silent(read: TaskLoad, waits: TaskWaits | None) -> Cell:
    if read.silent_s is None:
        return missing(NOTHING_BESIDE)
    before_s = read.silent_before_s
    notes = [] if before_s is None else [f"before {numbers.seconds(before_s)}"]
    if waits is not None and waits.most:
        notes.append(f"{plural(waits.most, 'session')} waited for {waits.what}")
    return given(numbers.seconds(read.silent_s), "; ".join(notes))


def progress(findings: Findings) -> Sheet:
    """How far the servers' reports were off; no group if nothing could have been reported."""
    columns = [
        Column("Reported by", numeric=False),
        Column("Worst error, points", "nearer to 0 is better"),
        Column("Median of the trials' worst"),
        Column("Stood still at most", "less is better"),
        Column("Fell back by, points", "less is better"),
        Column("Trials"),
    ]
    asked = {read.task for read in of(findings).tasks if read.progress.source is not None}

    def cells(read: TaskRead) -> list[Cell] | None:
        return _progress(read.progress) if read.task in asked else None

    return Sheet("Reported progress", "Arm", columns, list(_in_groups(findings, cells)), "Task")


def _progress(read: TaskProgress) -> list[Cell]:
    if read.error_points is None or read.error_median_points is None:
        why = read.unavailable or numbers.UNAVAILABLE
        return [*[missing(why)] * 5, given(str(read.trials))]
    where = f"reported {read.error_reported_pct:.3g} % at {read.error_at_pct:.3g} % of the time"
    still = missing()
    if read.still_s is not None:
        at = f"{numbers.percent(read.still_share)} of the time, at {read.still_at_pct:.3g} %"
        still = given(numbers.seconds(read.still_s), at)
    sign = "+" if read.error_points > 0 else ""
    return [
        given(SOURCES.get(read.source or "", read.source or numbers.UNAVAILABLE)),
        given(f"{sign}{number(read.error_points)}", where),
        given(number(read.error_median_points)),
        still,
        missing() if read.fell_points is None else given(number(read.fell_points)),
        given(str(read.trials), f"{plural(read.samples, 'sample')} or more"),
    ]


def untold(findings: Findings) -> list[str]:
    """Tasks whose progress the server didn't report although it had the time, and why."""
    found: dict[str, list[TaskRead]] = {}
    for read in of(findings).tasks:
        why = read.progress.unavailable
        if why is not None and why not in (NOT_SQL, NOT_DONE, TOO_SHORT, SEARCHED):
            found.setdefault(why, []).append(read)
    return [
        f"How far it was is unavailable on {_each(read.arm for read in reads)} "
        f"({_each(read.task for read in reads)}): {why}."
        for why, reads in found.items()
    ]


def _each(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(names))


def counters(findings: Findings) -> Sheet:
    """The counters that concern maintenance, a row each, arms side by side."""
    arms = [arm.name for arm in findings.arms]
    labels = {point.index: point.label for point in load.points_of(findings)}
    groups = []
    for (task, point), reads in _grouped(of(findings).tasks).items():
        by_arm = {read.arm: read.counters for read in reads}
        names = sorted({name for found in by_arm.values() for name in found})
        rows = [
            Row(name, [_counter(by_arm.get(arm, {}).get(name)) for arm in arms], code=True)
            for name in names
            if any(found.get(name) for found in by_arm.values()) or "defragment" in name
        ]
        at = labels.get(point, "") if len(labels) > 1 else ""
        if rows:
            groups.append(Group(", ".join(filter(None, (task, at))), rows))
    return Sheet("Counters of tasks", "Counter", [Column(arm) for arm in arms], groups, "Task")


def _grouped(reads: Iterable[TaskRead]) -> dict[tuple[str, int], list[TaskRead]]:
    found: dict[tuple[str, int], list[TaskRead]] = {}
    for read in reads:
        found.setdefault((read.task, read.point), []).append(read)
    return found


def _counter(value: float | None) -> Cell:
    return (
        missing("this server doesn't have it, or it didn't move")
        if value is None
        else given(numbers.count(value))
    )


def tables(findings: Findings) -> list[tuple[str, str, Sheet]]:
    """Title, meaning, table: in order, without those that have no rows."""
    found = [
        ("Times and ends", TIMES_MEAN, times(findings)),
        (searches.TITLE, searches.MEAN, searched(findings)),
        ("The load beside it", BESIDE_MEAN, loads_around(findings)),
        ("Reported progress", PROGRESS_MEAN, progress(findings)),
        ("Counters", COUNTERS_MEAN, counters(findings)),
    ]
    return [part for part in found if part[2].rows]


def section(findings: Findings) -> Section | None:
    """How the tasks ended in words, what each does, then their tables; None for other runs."""
    if findings.tasks is None:
        return None
    return Section(
        "tasks",
        TITLE,
        [
            problems(wrong(findings)),
            Lines([*lines(findings), *findings.tasks.reports]),
            Lines(untold(findings), "quiet"),
            Pairs(done(findings), "What was done", code=True, is_brief=False),
            *(Table(table, means, title) for title, means, table in tables(findings)),
        ],
        says=says(findings),
    )
