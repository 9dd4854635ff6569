"""The control arm: a second copy of the baseline; their contrast is the run's own A/A."""

from __future__ import annotations

from dyno.errors import SpecError
from dyno.spec.changed import changed
from dyno.spec.choose import Options
from dyno.spec.experiment import Arm, Experiment, Protocol
from dyno.spec.quantity import Comparison, Quantity
from dyno.spec.task import Task

CONTROL = "control"


def choose_control(
    experiment: Experiment, options: Options, arms: list[Arm], protocol: Protocol
) -> Arm | None:
    """The control arm of a run of these arms; None if there is none.

    If the command line or the key asks for it, there always is one. Otherwise only if it can be
    informative: with another arm, and enough blocks for an interval. Raises SpecError if an arm has
    its name.
    """
    if not _is_wanted(experiment, options, arms, protocol):
        return None
    if any(arm.name == CONTROL for arm in arms):
        raise SpecError(
            f"an arm is named {CONTROL!r}, as the second copy of the baseline is",
            hint="give the arm another name, or set protocol.control = false",
        )
    baseline = next(arm for arm in arms if arm.baseline)
    return changed(baseline, name=CONTROL, baseline=False)


def _is_wanted(
    experiment: Experiment, options: Options, arms: list[Arm], protocol: Protocol
) -> bool:
    if options.control is not None:
        return options.control
    if options.quick:
        return experiment.quick.control
    if "control" in experiment.protocol.model_fields_set:
        return protocol.control
    return len(arms) > 1 and protocol.blocks.last >= protocol.blocks_for_interval


def with_control(tasks: list[Task], baseline: Arm) -> list[Task]:
    """The tasks, also done on the control arm if the baseline does them."""
    return [
        changed(task, arms=[*task.arms, CONTROL]) if baseline.name in task.arms else task
        for task in tasks
    ]


def controls(comparisons: list[Comparison], tasks: list[Task], baseline: Arm) -> list[Comparison]:
    """The control arm over the baseline, once for everything that is compared between arms in one
    metric, op and point; primary if one of those is. Nothing for a task that the baseline doesn't
    do.
    """
    undone = {task.name for task in tasks if not task.is_for(baseline.name)}
    found: dict[Quantity, bool] = {}
    for comparison in comparisons:
        above, below = comparison.numerator, comparison.denominator
        if above.op == below.op and above.op not in undone:
            key = changed(above, arm=baseline.name)
            found[key] = found.get(key, False) or comparison.primary
    return [
        Comparison(numerator=changed(base, arm=CONTROL), denominator=base, primary=primary)
        for base, primary in found.items()
    ]
