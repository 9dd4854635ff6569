"""Tasks in words: what failed, and how far the servers' reports of progress were off.

Times and throughputs against the baseline are said by the comparisons.
"""

from __future__ import annotations

from collections.abc import Iterator

from dyno.analysis.tasks_model import TaskFailure, TaskRead
from dyno.spec.plan import Plan
from dyno.spec.units import format_duration, plural

# What each source is called by the servers that have it.
SOURCES = {
    "onlineddl": "Innodb_onlineddl_pct_progress",
    "processlist": "the processlist's progress",
    "stages": "the stage events' progress",
}


def says(plan: Plan, reads: list[TaskRead]) -> Iterator[str]:
    """A sentence for each task and arm on which it failed, then one where progress was told."""
    together: dict[tuple[str, str], list[TaskRead]] = {}
    for read in reads:
        together.setdefault((read.task, read.arm), []).append(read)
    for (task, arm), found in together.items():
        trials = sum(read.trials for read in found)
        for code in dict.fromkeys(f.code for read in found for f in read.failures):
            of_code = [f for read in found for f in read.failures if f.code == code]
            yield _failed(task, arm, of_code, trials)
        timeouts = sum(read.timeouts for read in found)
        if timeouts:
            limit = next(t.timeout for t in plan.tasks if t.name == task)
            yield (
                f"{task} was killed on {_of(timeouts, trials)} of {arm}: it took longer than "
                f"{format_duration(limit)}."
            )
    for (task, arm), found in together.items():
        told = [read for read in found if read.progress.error_points is not None]
        if told:
            yield _progress(task, arm, max(told, key=lambda r: abs(r.progress.error_points or 0.0)))


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
    return f"{task} failed on {_of(count, trials)} of {arm}{said}; after {took}."


def _progress(task: str, arm: str, read: TaskRead) -> str:
    """The worst trial of all points."""
    seen = read.progress
    assert seen.error_points is not None
    assert seen.error_at_pct is not None
    assert seen.error_reported_pct is not None
    source = SOURCES.get(seen.source or "", seen.source or "the server")
    side = "ahead of" if seen.error_points > 0 else "behind"
    still = ""
    if seen.still_s and seen.still_share is not None and seen.still_at_pct is not None:
        still = (
            f", and stood still for up to {seen.still_share:.0%} of it".replace("%", " %")
            + f", at {seen.still_at_pct:.3g} %"
        )
    return (
        f"{task} on {arm}: {source} was up to {abs(seen.error_points):.0f} points {side} the "
        f"truth: it said {seen.error_reported_pct:.3g} % when {seen.error_at_pct:.3g} % of the "
        f"time had gone by{still}."
    )
