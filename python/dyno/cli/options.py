"""The options that `dyno run` and `dyno check` share: how an experiment becomes a plan."""

from __future__ import annotations

from dataclasses import Field, dataclass, fields
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from dyno.cli.find import find_experiment
from dyno.errors import SpecError
from dyno.servers import Setting
from dyno.spec.durability import DurabilityExperiment
from dyno.spec.experiment import Experiment
from dyno.spec.explain import explain
from dyno.spec.plan import Options, Plan, make_plan
from dyno.spec.protocol import CONNECTIONS_MAX
from dyno.spec.read import read_any
from dyno.spec.series import Series, make_series
from dyno.spec.server_ref import parse_server
from dyno.spec.units import parse_duration_s

Name = Annotated[
    str, typer.Argument(help="An experiment's name (see dyno experiments), folder or TOML file.")
]
Quick = Annotated[bool, typer.Option("--quick", help="Less data, one look: minutes, not hours.")]
Scale = Annotated[
    float | None, typer.Option("--scale", min=0.000001, help="Multiply every table's rows.")
]
Blocks = Annotated[
    int | None, typer.Option("--blocks", min=1, max=200, help="Measure at most N blocks.")
]
Budget = Annotated[
    str | None, typer.Option("--budget", help="Stop measuring after this long, e.g. 20m.")
]
Arms = Annotated[
    str | None,
    typer.Option(
        "--arms", help="Only these arms, comma-separated, by name; all also runs the extra ones."
    ),
]
Servers = Annotated[
    list[str] | None,
    typer.Option(
        "--server",
        help="Add an arm on this server: a catalog name, path, or mysql://user@host:port/ "
        "(password from DYNO_PASSWORD, the option file DYNO_OPTION_FILE, or a prompt). Repeatable.",
    ),
]
Connections = Annotated[
    str | None,
    typer.Option(
        "--connections",
        help="Measure at these numbers of connections, comma-separated, in place of the sweep's.",
    ),
]
Duration = Annotated[
    str | None, typer.Option("--duration", help="Measured time of each trial of a load, e.g. 10s.")
]
Control = Annotated[
    bool | None,
    typer.Option(
        "--control/--no-control",
        help="Whether a second copy of the baseline runs in each block, to show what this host "
        "makes of equal servers. Default: as the experiment says.",
    ),
]
SEED = 42
Seed = Annotated[int, typer.Option("--seed", min=0, help="Draws data and the order of arms.")]
Plugins = Annotated[
    list[str] | None,
    typer.Option(
        "--plugin", help="A module that the server loads when it starts: ha_rocksdb. Repeatable."
    ),
]
Force = Annotated[
    bool,
    typer.Option("--force", help="Go on although the data seem too large for disk or budget."),
]
Out = Annotated[Path, typer.Option("--out", help="The folder that holds run folders.")]
OUT = Path("runs")
# The options that change a series of crashes; the others are about measuring.
_OF_SERIES = ("--quick", "--arms", "--budget", "--seed")
Hosts = Annotated[
    Path | None,
    typer.Option("--hosts", help="Make the load on the load hosts of this file, see dyno hosts."),
]
HostSet = Annotated[
    str | None, typer.Option("--set", help="With --hosts: this set of them. Default: the first.")
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON on stdout.")]


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
    if duration_s is not None and duration_s < 1:
        raise SpecError(
            f"--duration: {duration_s:g} s is too short to make a figure from",
            hint="throughput is made of whole seconds: give 1s or more",
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


def engine_from(flag: str, name: str) -> str:
    """The name of an engine, which goes into SQL as it is. Raises SpecError."""
    if not name.isidentifier():
        raise SpecError(f"{flag}: {name!r} is not an engine", hint="give one such as InnoDB")
    return name


def settings_from(flag: str, texts: list[str] | None) -> dict[str, Setting]:
    """Server settings, each written NAME=VALUE. Raises SpecError."""
    settings: dict[str, Setting] = {}
    for text in texts or []:
        key, separator, value = text.partition("=")
        if not separator or not key.strip():
            raise SpecError(f"{flag} {text!r} is not NAME=VALUE")
        settings[key.strip()] = value.strip()
    return settings


def seconds_from(flag: str, text: str | None) -> float | None:
    """A duration in seconds; None where there is none. Raises SpecError."""
    try:
        return parse_duration_s(text) if text is not None else None
    except ValueError as error:
        raise SpecError(f"{flag}: {error}") from None


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
