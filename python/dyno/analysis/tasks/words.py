"""Tasks in words: what failed, who waited, and how far off the servers' reports of progress were.

Times and throughputs against the baseline are reported by the comparisons.
"""

from __future__ import annotations

from collections.abc import Iterator

from dyno.analysis.tasks.model import TaskFailure, TaskProgress, TaskRead, TaskWaits
from dyno.spec.plan import Plan
from dyno.spec.units import capital, format_duration, plural

# Each source as the servers that have it call it.
SOURCES = {
    "onlineddl": "Innodb_onlineddl_pct_progress",
    "processlist": "the processlist's progress",
    "stages": "the stage events' progress",
}
# A report that is off by less than this counts as true.
TRUE_POINTS = 2.0
# Every ALTER locks others out for a moment; it is mentioned from this share of its time on.
WAITED_SHARE = 0.1


def failed(plan: Plan, reads: list[TaskRead]) -> Iterator[str]:
    """A sentence for each task and arm on which it failed or was killed, all points together."""
    limits_s = {task.name: task.timeout for task in plan.tasks}
    for (task, arm), found in _together(reads).items():
        trials = sum(read.trials for read in found)
        for code in dict.fromkeys(f.code for read in found for f in read.failures):
            of_code = [f for read in found for f in read.failures if f.code == code]
            yield _failed(task, arm, of_code, trials)
        timeouts = sum(read.timeouts for read in found)
        if timeouts:
            limit = format_duration(limits_s[task])
            count = _of(timeouts, trials)
            yield f"{capital(task)} was killed on {count} of {arm}: it took longer than {limit}."


def reports(reads: list[TaskRead]) -> Iterator[str]:
    """Sentences for each task and arm: who waited, and how progress was reported; the worst of all
    points and trials.
    """
    for (task, arm), found in _together(reads).items():
        waited = [read.waits for read in found if read.waits and read.waits.share >= WAITED_SHARE]
        if waited:
            yield _waited(task, arm, max(waited, key=lambda seen: seen.share))
        known = [read.progress for read in found if read.progress.error_points is not None]
        if known:
            yield _report(task, arm, max(known, key=lambda seen: abs(seen.error_points or 0.0)))


def _together(reads: list[TaskRead]) -> dict[tuple[str, str], list[TaskRead]]:
    found: dict[tuple[str, str], list[TaskRead]] = {}
    for read in reads:
        found.setdefault((read.task, read.arm), []).append(read)
    return found


def _of(count: int, trials: int) -> str:
    return f"{count:,} of {plural(trials, 'trial')}"


def _failed(task: str, arm: str, found: list[TaskFailure], trials: int) -> str:
    count = sum(failure.trials for failure in found)
    first = found[0]
    error = " ".join(filter(None, (str(first.code or ""), first.message.strip().rstrip("."))))
    after = [failure.after_s for failure in found]
    low, high = format_duration(min(after)), format_duration(max(after))
    took = low if low == high else f"{low} to {high}"
    said = f": {error}" if error else ""
    return f"{capital(task)} failed on {_of(count, trials)} of {arm}{said}; after {took}."


def _waited(task: str, arm: str, seen: TaskWaits) -> str:
    share = f"{seen.share:.0%}".replace("%", " %")
    most = f"up to {plural(seen.most, 'session')}" if seen.most > 1 else "a session"
    return f"{capital(task)} on {arm}: {most} waited for {seen.what} in {share} of its time."


def _report(task: str, arm: str, seen: TaskProgress) -> str:
    assert seen.error_points is not None
    assert seen.error_at_pct is not None
    assert seen.error_reported_pct is not None
    source = SOURCES.get(seen.source or "", seen.source or "the server")
    side = "ahead of" if seen.error_points > 0 else "behind"
    still = ""
    if seen.still_s and seen.still_share is not None and seen.still_at_pct is not None:
        still = (
            f", and stood still for up to {seen.still_share:.0%} of the time".replace("%", " %")
            + f", at {seen.still_at_pct:.3g} %"
        )
    off = abs(seen.error_points)
    if off < TRUE_POINTS:
        return f"{capital(task)} on {arm}: {source} was right within {TRUE_POINTS:g} points."
    where = (
        f"{seen.error_reported_pct:.3g} % when {seen.error_at_pct:.3g} % of the time had gone by"
    )
    return (
        f"{capital(task)} on {arm}: {source} was up to {off:.0f} points {side} the truth: it "
        f"reported {where}{still}."
    )
