"""The tasks of a plan in words, for `dyno check`."""

from __future__ import annotations

from collections.abc import Iterator

from dyno.spec.plan import Plan
from dyno.spec.task import Task, beside
from dyno.spec.units import format_duration


def task_rows(plan: Plan) -> Iterator[tuple[str, str, str]]:
    """Of each task its name, what it does, and when, in the order in which they are done."""
    has_load = plan.is_load
    loaded = not beside(plan.tasks)
    for task in plan.tasks:
        if task.beside:
            loaded = True
            when = (
                f"beside the load, which runs undisturbed {format_duration(task.before)} before "
                f"and {format_duration(task.after)} after"
            )
        elif beside(plan.tasks):
            when = "alone, after the load" if loaded else "alone, before the load"
        else:
            when = f"alone, before the {'load' if has_load else 'statements'}"
        yield task.name, task.doing, f"{when}; {_limits(task)}"


def _limits(task: Task) -> str:
    said = [f"killed after {format_duration(task.timeout)}"]
    if task.session:
        said.append(" ".join(f"{key}={value}" for key, value in task.session.items()))
    if task.arms:
        said.append(f"only on {', '.join(task.arms)}")
    if task.compare == "nothing":
        said.append("its time isn't compared")
    return "; ".join(said)


def measured(plan: Plan) -> str:
    """How long the load is measured."""
    longest = format_duration(plan.protocol.duration)
    if beside(plan.tasks):
        return f"measured as long as the tasks take, at most {longest}"
    return f"{longest} measured"
