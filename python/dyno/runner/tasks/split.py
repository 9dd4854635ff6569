"""Which tasks of a plan come before the load, beside it, and after it. Nothing is done here."""

from __future__ import annotations

from dataclasses import dataclass

from dyno.spec.plan import Plan
from dyno.spec.task import Task


@dataclass(frozen=True)
class Split:
    """The tasks of a trial, by when they are done. `beside` are those of all arms."""

    first: list[Task]
    beside: list[Task]
    last: list[Task]


def split(plan: Plan, arm: str) -> Split:
    """An arm's tasks. Without one beside the load all come first, so that what they did shows in
    what is measured.

    A load runs as long beside tasks that its arm doesn't do: they are in `beside`, too.
    """
    marks = [task.beside for task in plan.tasks]
    if True not in marks:
        return Split(first=_of(plan.tasks, arm), beside=[], last=[])
    first, last = marks.index(True), len(marks) - marks[::-1].index(True)
    return Split(
        first=_of(plan.tasks[:first], arm),
        beside=plan.tasks[first:last],
        last=_of(plan.tasks[last:], arm),
    )


def _of(tasks: list[Task], arm: str) -> list[Task]:
    return [task for task in tasks if task.is_for(arm)]
