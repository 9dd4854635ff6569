"""Which tasks of a plan an arm does before the load, beside it, and after it."""

from __future__ import annotations

from dyno.spec.plan import Plan
from dyno.spec.task import Split, Task, around_the_load

__all__ = ["Split", "split"]


def split(plan: Plan, arm: str) -> Split:
    """An arm's tasks. `beside` are those of all arms: a load also runs this long beside tasks that
    its arm doesn't do.
    """
    found = around_the_load(plan.tasks)
    return Split(first=_of(found.first, arm), beside=found.beside, last=_of(found.last, arm))


def _of(tasks: list[Task], arm: str) -> list[Task]:
    return [task for task in tasks if task.is_for(arm)]
