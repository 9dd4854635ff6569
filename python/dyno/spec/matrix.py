"""Expands [matrix] to arms: servers x engines x named settings, less the cells left out by name."""

from __future__ import annotations

import fnmatch
import itertools

from dyno.errors import SpecError
from dyno.spec.experiment import Arm, Experiment, Matrix, Settings


def expand_arms(experiment: Experiment) -> list[Arm]:
    """All arms: the written ones, then the matrix's, in the file's order. Names are unique."""
    arms = list(experiment.arm)
    if experiment.matrix is not None:
        arms += _cells(experiment.matrix)
    seen: set[str] = set()
    for arm in arms:
        if arm.name in seen:
            raise SpecError(f"two arms are named {arm.name!r}", hint="give each arm its own name")
        seen.add(arm.name)
    return arms


def _cells(matrix: Matrix) -> list[Arm]:
    engines: list[str | None] = list(matrix.engines) or [None]
    named: list[tuple[str | None, Settings]] = list(matrix.settings.items()) or [(None, {})]
    arms = []
    for server, engine, (label, settings) in itertools.product(matrix.servers, engines, named):
        name = " / ".join(part for part in (server, engine, label) if part)
        arms.append(
            Arm(
                name=name,
                server=server,
                engine=engine,
                settings=settings,
                baseline=name == matrix.baseline,
            )
        )
    names = [arm.name for arm in arms]
    for pattern in [*matrix.leave_out, matrix.baseline]:
        if not fnmatch.filter(names, pattern):
            raise SpecError(
                f"matrix: no cell is named {pattern!r}", hint=f"the cells are: {'; '.join(names)}"
            )
    return [
        arm
        for arm in arms
        if not any(fnmatch.fnmatchcase(arm.name, pattern) for pattern in matrix.leave_out)
    ]
