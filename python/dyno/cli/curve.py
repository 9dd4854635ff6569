"""`dyno why --curve`: one setting's values, measured side by side as the arms of a run."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

from dyno.analysis.why import CURVE, curve_of, curve_plan, measures_values_of
from dyno.cli.check import print_plan
from dyno.cli.difference import Difference
from dyno.cli.elsewhere import joined_hosts
from dyno.cli.run import measure_run, new_folder
from dyno.cli.screen import err, print_json
from dyno.cli.unfinished import newest_unfinished
from dyno.errors import SpecError
from dyno.runner.tries import starts
from dyno.spec.plan import Plan
from dyno.store.hosts import HostsUsed
from dyno.store.run import RunFolder


def planned_curve(
    difference: Difference, curve: str, *, first: str | None, budget_s: float, seed: int
) -> Plan:
    """The plan of the run, on the arm `first`. Raises SpecError."""
    return curve_plan(
        difference.plan,
        difference.compared,
        difference.found.factors,
        curve_of(curve),
        first=first or difference.compared.denominator_arm,
        run=difference.source.path.name,
        budget_s=budget_s,
        seed=seed,
    )


def run_curve(
    plan: Plan, out: Path, used: HostsUsed | None, *, check: bool, json: bool, again: str
) -> None:
    """Measure and report, if the server starts with each of the values; with `check` only show what
    would be measured. `used`: the hosts that make the load. Raises SpecError.
    """
    if check:
        if json:
            print_json(plan.model_dump(mode="json"))
        else:
            print_plan(plan, run=[word for word in sys.argv[1:] if word != "--check"])
        return
    for arm in plan.arms:
        if not starts(arm, note=err.print):
            raise SpecError(
                f"the server doesn't start with {arm.name}",
                hint="leave that value out of --curve",
            )
    with joined_hosts(used) as elsewhere:
        folder = new_folder(plan, out, elsewhere, used=used)
        measure_run(folder, new=True, json=json, again=again, elsewhere=elsewhere)


def resume_curve(source: RunFolder, curve: str, out: Path, *, json: bool, again: str) -> None:
    """Go on with the newest unfinished one of this setting and this run's experiment. Raises
    SpecError.
    """
    name = source.plan().name
    setting, _ = curve_of(curve)
    folder = newest_unfinished(CURVE + name, out, fits=partial(measures_values_of, setting))
    if folder is None:
        raise SpecError(
            f"there is no unfinished --curve {setting} of {name} in {out}",
            hint="start a new one without --resume",
        )
    with joined_hosts(folder.hosts()) as elsewhere:
        measure_run(folder, new=False, json=json, again=again, elsewhere=elsewhere)
