"""What the arms' servers run with besides their own code: allocator, C library, compiler."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

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
        yield _judged(programs, {arm.name: arm.allocator for arm in plan.arms if arm.allocator})
    elif programs or any(t.server is not None and not t.server.managed for t in samples.ok):
        says = f"The server processes of {', '.join(missing)} could not be examined."
        yield Fairness(name=NAME, check="unknown", says=says)


def _judged(programs: Mapping[str, Program], declared: Mapping[str, str]) -> Fairness:
    """`declared`: the allocators that arms ask for."""
    found = {part: _by_value(programs, part) for part in PARTS}
    details = [
        f"{PARTS[part]}: {'; '.join(f'{value} ({arms})' for value, arms in values.items())}"
        for part, values in found.items()
    ]
    absent = [arm for arm, name in declared.items() if not _is_there(name, programs[arm])]
    if absent:
        return Fairness(
            name=NAME,
            check="failed",
            says=f"The allocator that was declared wasn't seen in the servers of "
            f"{', '.join(absent)}: the loader may have refused it.",
            details=details,
        )
    unlike = [PARTS[part] for part in _undeclared(declared) if len(found[part]) > 1]
    if unlike:
        return Fairness(
            name=NAME,
            check="warning",
            says=f"The arms' servers don't run with the same {' and '.join(unlike)}: part of a "
            "difference may be theirs.",
            details=details,
        )
    says = "All servers run with the same allocator and C library."
    if len(found["allocator"]) > 1:
        says = "The servers run with the allocators that were declared, and one C library."
    return Fairness(name=NAME, check="ok", says=says, details=details)


def _undeclared(declared: Mapping[str, str]) -> Iterator[str]:
    """What may not differ: an allocator may where somebody asked for one."""
    return (part for part in SURPRISING if part != "allocator" or not declared)


def _is_there(name: str, program: Program) -> bool:
    """Whether the allocator that was read has the name, or that of a library's file."""
    stem = Path(name).name.partition(".so")[0].removeprefix("lib")
    return stem in (program.allocator or "")


def _by_value(programs: Mapping[str, Program], part: str) -> dict[str, str]:
    """The arms that have a value, by value."""
    arms: dict[str, list[str]] = {}
    for arm, program in programs.items():
        arms.setdefault(getattr(program, part) or "not available", []).append(arm)
    return {value: ", ".join(names) for value, names in arms.items()}
