"""Who waited for what a task had locked: why a load beside it stood still."""

from __future__ import annotations

from statistics import median

from dyno.analysis.tasks.model import TaskWaits
from dyno.store.trial import TaskRun


def waits(runs: list[TaskRun]) -> TaskWaits | None:
    """For a task's runs on one arm at one point; None if no sample has it."""
    waiting = [[s for s in run.progress if s.waiting is not None] for run in runs]
    known = [samples for samples in waiting if samples]
    if not known:
        return None
    worst = max((s for samples in known for s in samples), key=lambda sample: sample.waiting or 0)
    return TaskWaits(
        trials=len(known),
        most=worst.waiting or 0,
        share=median(sum(bool(s.waiting) for s in samples) / len(samples) for samples in known),
        what=worst.waiting_for,
    )
