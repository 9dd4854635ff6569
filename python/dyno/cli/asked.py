"""How an experiment and the options of `dyno run` and `dyno check` become a plan."""

from __future__ import annotations

from dataclasses import Field, dataclass, fields
from typing import Any

from pydantic import ValidationError

from dyno.cli.find import find_experiment
from dyno.cli.options import SEED, seconds_from
from dyno.errors import SpecError
from dyno.spec.durability import DurabilityExperiment
from dyno.spec.experiment import Experiment
from dyno.spec.explain import explain
from dyno.spec.plan import Options, Plan, make_plan
from dyno.spec.protocol import CONNECTIONS_MAX, SHORTEST_MEASURED_S
from dyno.spec.read import read_any
from dyno.spec.series import Series, make_series
from dyno.spec.server_ref import parse_server

# The options that change a series of crashes; the others are about measuring.
_OF_SERIES = ("--quick", "--arms", "--budget", "--seed")


@dataclass(frozen=True)
class Asked:
    """The options of the command line that change an experiment, as typed."""

    quick: bool = False
    scale: float | None = None
    blocks: int | None = None
    budget: str | None = None
    arms: str | None = None
    server: list[str] | None = None
    connections: str | None = None
    duration: str | None = None
    control: bool | None = None
    seed: int = SEED

    @property
    def flags(self) -> list[str]:
        """Those that were given."""
        changed = [field.name for field in fields(self) if self._differs(field)]
        return [
            "--no-control" if name == "control" and self.control is False else f"--{name}"
            for name in changed
        ]

    def _differs(self, field: Field[Any]) -> bool:
        return bool(getattr(self, field.name) != field.default)

    @property
    def budget_s(self) -> float | None:
        """Raises SpecError for no time at all."""
        budget_s = seconds_from("--budget", self.budget)
        if budget_s == 0:
            raise SpecError(
                "--budget: 0 leaves no time to measure", hint="give a duration such as 20m"
            )
        return budget_s

    @property
    def arm_names(self) -> tuple[str, ...]:
        """Which arms; none: all that run by themselves."""
        return tuple(part.strip() for part in (self.arms or "").split(",") if part.strip())


def plan_from(name: str, asked: Asked) -> Plan | Series:
    """The experiment's plan, or its series if it crashes servers. Raises SpecError."""
    label, path = find_experiment(name)
    experiment = read_any(path)
    if isinstance(experiment, DurabilityExperiment):
        return _series(experiment, label, asked)
    return _plan(experiment, label, asked)


def _series(experiment: DurabilityExperiment, label: str, asked: Asked) -> Series:
    surplus = [flag for flag in asked.flags if flag not in _OF_SERIES]
    if surplus:
        raise SpecError(
            f"{label} is an experiment of crashes: {', '.join(surplus)} can't change it",
            hint=f"{', '.join(_OF_SERIES)} can",
        )
    return make_series(
        experiment,
        name=label,
        quick=asked.quick,
        arms=asked.arm_names,
        budget_s=asked.budget_s,
        seed=asked.seed,
    )


def _plan(experiment: Experiment, label: str, asked: Asked) -> Plan:
    duration_s = seconds_from("--duration", asked.duration)
    if duration_s is not None and duration_s < SHORTEST_MEASURED_S:
        raise SpecError(
            f"--duration: {duration_s:g} s is too short to make a figure from",
            hint=f"{SHORTEST_MEASURED_S:g}s is the least, 1s or more is usual",
        )
    given = {
        "quick": asked.quick,
        "scale": asked.scale,
        "blocks": asked.blocks,
        "budget_s": asked.budget_s,
        "arms": asked.arm_names,
        "servers": tuple(map(parse_server, asked.server or ())),
        "connections": _levels(asked.connections),
        "duration_s": duration_s,
        "control": asked.control,
        "seed": asked.seed,
    }
    try:
        options = Options.model_validate(given)
    except ValidationError as error:
        message, hint = explain(error, Options)
        raise SpecError(f"--{message}", hint=hint) from None
    return make_plan(experiment, options, name=label)


def _levels(text: str | None) -> tuple[int, ...]:
    """Numbers of connections, each once."""
    parts = [part.strip() for part in text.split(",")] if text is not None else []
    for part in parts:
        number = int(part) if part.isascii() and part.isdigit() else 0
        if not 1 <= number <= CONNECTIONS_MAX:
            raise SpecError(
                f"--connections: {part!r} is not a number of connections",
                hint=f"give numbers from 1 to {CONNECTIONS_MAX:,}, such as 1,8,64",
            )
    levels = tuple(int(part) for part in parts)
    if len(set(levels)) != len(levels):
        twice = next(level for level in levels if levels.count(level) > 1)
        raise SpecError(f"--connections: {twice} is given twice", hint="give each level once")
    return levels
