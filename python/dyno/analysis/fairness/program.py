"""What the arms' servers run with besides their own code: allocator, C library, compiler."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dyno.analysis.fairness.model import Fairness
from dyno.analysis.samples import Samples
from dyno.spec.plan import Plan
from dyno.store.trial import Program

NAME = "server programs"
PARTS = {"allocator": "allocator", "c_library": "C library", "compiler": "compiler"}
# Builds differ in what they were compiled with, as they do in their code: that is no surprise.
SURPRISING = ("allocator", "c_library")


def checks(plan: Plan, samples: Samples) -> Iterator[Fairness]:
    """A warning where arms differ in what isn't the servers' own; builds' compilers are named.

    Nothing of a run that is older than this check.
    """
    programs = samples.first_of_arms(
        lambda trial: trial.program if trial.program and trial.program.allocator else None
    )
    missing = [arm.name for arm in plan.arms if arm.name not in programs]
    if not missing:
        yield _judged(programs)
    elif programs or any(t.server is not None and not t.server.managed for t in samples.ok):
        says = f"Nobody could look at the servers' processes of {', '.join(missing)}."
        yield Fairness(name=NAME, check="unknown", says=says)


def _judged(programs: Mapping[str, Program]) -> Fairness:
    found = {part: _by_value(programs, part) for part in PARTS}
    details = [
        f"{PARTS[part]}: {'; '.join(f'{value} ({arms})' for value, arms in values.items())}"
        for part, values in found.items()
    ]
    unlike = [PARTS[part] for part in SURPRISING if len(found[part]) > 1]
    if unlike:
        return Fairness(
            name=NAME,
            check="warning",
            says=f"The arms' servers don't run with the same {' and '.join(unlike)}: part of a "
            "difference may be theirs.",
            details=details,
        )
    says = "All servers run with the same allocator and C library."
    return Fairness(name=NAME, check="ok", says=says, details=details)


def _by_value(programs: Mapping[str, Program], part: str) -> dict[str, str]:
    """The arms that have a value, by value."""
    arms: dict[str, list[str]] = {}
    for arm, program in programs.items():
        arms.setdefault(getattr(program, part) or "not available", []).append(arm)
    return {value: ", ".join(names) for value, names in arms.items()}
