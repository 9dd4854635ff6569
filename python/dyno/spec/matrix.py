"""Expands [matrix] to arms: servers x engines x named settings, minus cells left out by name."""

from __future__ import annotations

import fnmatch
import itertools

from pydantic import ValidationError

from dyno.errors import SpecError
from dyno.spec.experiment import ARMS_MAX, Arm, Experiment, Matrix, Settings
from dyno.spec.server_ref import ServerRef
from dyno.spec.words import near, shortened


def expand_arms(experiment: Experiment) -> list[Arm]:
    """All arms: the written ones, then the matrix's, in the file's order. Names are unique."""
    arms = list(experiment.arm)
    if experiment.matrix is not None:
        arms += _cells(experiment.matrix)
    refuse_twins(arms)
    return arms


def refuse_twins(arms: list[Arm]) -> None:
    """Raise SpecError for two arms with the same name."""
    seen: set[str] = set()
    for arm in arms:
        if arm.name in seen:
            raise SpecError(f"two arms are named {arm.name!r}", hint="give each arm its own name")
        seen.add(arm.name)


def _cell(
    name: str, server: ServerRef, engine: str | None, settings: Settings, baseline: bool
) -> Arm:
    try:
        return Arm(name=name, server=server, engine=engine, settings=settings, baseline=baseline)
    except ValidationError as error:
        raise SpecError(
            f"matrix: a cell would be named {shortened(name)!r}: {error.errors()[0]['msg']}",
            hint="write [[arm]]s, which have names of their own",
        ) from None


def _cells(matrix: Matrix) -> list[Arm]:
    engines: list[str | None] = list(matrix.engines) or [None]
    named: list[tuple[str | None, Settings]] = list(matrix.settings.items()) or [(None, {})]
    cells = len(matrix.servers) * len(engines) * len(named)
    if cells > ARMS_MAX:
        raise SpecError(
            f"matrix: it makes {cells:,} arms, and there are at most {ARMS_MAX}",
            hint="write shorter lists: leave_out comes later",
        )
    arms = []
    for server, engine, (label, settings) in itertools.product(matrix.servers, engines, named):
        name = " / ".join(part for part in (str(server), engine, label) if part)
        arms.append(_cell(name, server, engine, settings, name == matrix.baseline))
    names = [arm.name for arm in arms]
    for pattern in [*matrix.leave_out, matrix.baseline]:
        if not fnmatch.filter(names, pattern):
            raise SpecError(f"matrix: no cell is named {pattern!r}", hint=near(pattern, names))
    return [
        arm
        for arm in arms
        if not any(fnmatch.fnmatchcase(arm.name, pattern) for pattern in matrix.leave_out)
    ]
