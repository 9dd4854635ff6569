"""Profiles as files, for tools that show flame graphs."""

from __future__ import annotations

import json
import re
from pathlib import Path

from dyno.analysis.profiles import speedscope
from dyno.errors import StoreError
from dyno.store.files import storing, write_atomic
from dyno.store.run import RunFolder
from dyno.store.stacks import Stacks, folded, together

_NOT_IN_NAMES = re.compile(r"[^\w.+-]+")


def write_profiles(run: RunFolder, folder: Path) -> None:
    """Write the sum of the profiles of each arm and point into `folder`, made if need be: folded
    stacks, and one file of all for speedscope. Raises StoreError if there are none, or if they
    can't be written.
    """
    found = _profiles(run)
    if not found:
        raise StoreError(
            f"{run.path} has no profiles",
            hint="report.html says why, under CPU by function; only loads have them",
        )
    with storing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    for title, stacks in found.items():
        name = _NOT_IN_NAMES.sub("-", title).strip("-")
        write_atomic(folder / f"{name}.folded", folded(stacks).encode())
    document = json.dumps(speedscope(found, name=run.path.name))
    write_atomic(folder / "profiles.speedscope.json", document.encode())


def _profiles(run: RunFolder) -> dict[str, Stacks]:
    """By arm, and by point if there are several, in the plan's order."""
    plan = run.plan()
    several = len(plan.points) > 1
    trials = [trial for trial in run.trials() if trial.is_good and trial.profiler is not None]
    found: dict[str, Stacks] = {}
    for arm in plan.arms:
        for index, point in enumerate(plan.points):
            read = (run.stacks(t.number) for t in trials if (t.arm, t.point) == (arm.name, index))
            stacks = together(each for each in read if each is not None)
            if stacks:
                found[f"{arm.name}, {point.label}" if several else arm.name] = stacks
    return found
