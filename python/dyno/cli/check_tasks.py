"""The tasks of a plan in words, for `dyno check`."""

from __future__ import annotations

from collections.abc import Iterator

from dyno.spec.plan import Plan
from dyno.spec.task import Task, around_the_load, beside_load
from dyno.spec.units import format_duration, plural


def task_rows(plan: Plan) -> Iterator[tuple[str, str, str]]:
    """Of each task its name, what it does, and when, in the order in which they are done."""
    found = around_the_load(plan.tasks)
    what = "load" if plan.is_load else "statements"
    for task in found.first:
        yield _row(task, f"alone, before the {what}")
    for task in found.beside:
        yield _row(
            task,
            f"beside the load, which runs undisturbed {format_duration(task.before)} before "
            f"and {format_duration(task.after)} after",
        )
    for task in found.last:
        yield _row(task, "alone, after the load")


def _row(task: Task, when: str) -> tuple[str, str, str]:
    return task.name, task.doing, f"{when}; {_limits(task)}"


def _limits(task: Task) -> str:
    said = [*_searched(task), f"killed after {format_duration(task.timeout)}"]
    if task.session:
        said.append(" ".join(f"{key}={value}" for key, value in task.session.items()))
    if task.arms:
        said.append(f"only on {', '.join(task.arms)}")
    if task.compare == "nothing":
        said.append("its time isn't compared")
    return "; ".join(said)


def _searched(task: Task) -> Iterator[str]:
    if (least := task.least) is not None:
        span = f"from {least.shown(least.from_)} to {least.shown(least.to)}"
        yield (
            f"the least {least.variable} {span} at which it comes to its end, to within "
            f"{least.within:.0%} in about {plural(least.attempts, 'attempt')}"
        ).replace("%", " %")


def measured(plan: Plan) -> str:
    """How long the load is measured."""
    longest = format_duration(plan.protocol.duration)
    if beside_load(plan.tasks):
        return f"measured as long as the tasks take, at most {longest}"
    return f"{longest} measured"
