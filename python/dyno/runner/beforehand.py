"""What is wrong with a plan on this machine, reported before anything is started."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator

from dyno.errors import LoadError, ServerError, SpecError
from dyno.home import find_home
from dyno.program import find_dynoload
from dyno.runner.placement import sets_of
from dyno.servers import refuse_unknown
from dyno.spec.cost import estimate
from dyno.spec.experiment import Arm
from dyno.spec.load_plan import LoadPlan, Target, dataset_plan, trial_plan
from dyno.spec.plan import Plan
from dyno.spec.server_ref import NamedServer
from dyno.spec.units import format_bytes, format_duration

CHECK_S = 300.0
# No server is contacted.
NOWHERE = Target(socket="/nowhere", database="dyno")


def refuse_impossible(plan: Plan) -> None:
    """Raise SpecError for what can't run here: missing servers and CPUs, bad loads."""
    refuse_unknown_servers(plan.arms)
    sets_of(plan.protocol.placement)
    _refuse_bad_loads(plan)


def refuse_unknown_servers(arms: list[Arm]) -> None:
    """Raise SpecError for a server that Dyno doesn't know."""
    for arm in arms:
        if isinstance(arm.server, NamedServer):
            try:
                refuse_unknown(arm.server.name)
            except ServerError as error:
                raise SpecError(f"arm {arm.name!r}: {error.words}", hint=error.hint) from None


def _refuse_bad_loads(plan: Plan) -> None:
    """Have dynoload check every load plan that it will get."""
    dynoload = str(find_dynoload())
    checked = set()
    for whose, load in _loads(plan):
        text = load.to_json()
        if text in checked:
            continue
        checked.add(text)
        done = subprocess.run(
            [dynoload, "check", "--files", "-"],
            input=text,
            env={"PATH": os.defpath, "LC_ALL": "C"},
            capture_output=True,
            text=True,
            timeout=CHECK_S,
            check=False,
        )
        if done.returncode != 0:
            # What a script prints when it is loaded comes before it.
            _, found, said = f"\n{done.stderr.strip()}".rpartition("\nerror: ")
            if not found:
                raise LoadError(f"dynoload can't check a plan: {said.strip() or done.returncode}")
            message, _, hint = said.partition("\nhint: ")
            raise SpecError(f"{whose}: {message}", hint=hint)


def _loads(plan: Plan) -> Iterator[tuple[str, LoadPlan]]:
    """What loads each arm's data, what runs at its first point, and at the others of one arm."""
    for arm in plan.arms:
        if plan.own_workload.has_dataset:
            yield f"loading the data of {arm.name!r}", dataset_plan(plan, arm, NOWHERE)
        yield f"arm {arm.name!r}", trial_plan(plan, arm, NOWHERE)
    for index, point in enumerate(plan.points):
        yield f"at {point.label}", trial_plan(plan, plan.arms[0], NOWHERE, point=index)


def refuse_unaffordable(plan: Plan, *, here: bool = True) -> None:
    """Raise SpecError for data that don't fit on the disk, if they come to be `here`, or that take
    longer to load than the budget for measuring.
    """
    cost = estimate(plan)
    root = find_home().root
    free_bytes = shutil.disk_usage(root).free
    if here and cost.disk_bytes > free_bytes:
        raise SpecError(
            f"the data take about {format_bytes(cost.disk_bytes)}, and the disk of {root} has "
            f"{format_bytes(free_bytes)} left",
            hint="load less with --scale, free some space, set DYNO_HOME to a larger disk, or add "
            "--force if you know better",
        )
    if cost.load_s + cost.check_s > plan.protocol.budget:
        checks = f" and checking them {format_duration(cost.check_s)}" if cost.check_s else ""
        raise SpecError(
            f"loading the data takes about {format_duration(cost.load_s)}{checks} by a guess, and "
            f"the budget for measuring is {format_duration(plan.protocol.budget)}",
            hint="load less with --scale, raise --budget, or add --force if you know better",
        )
