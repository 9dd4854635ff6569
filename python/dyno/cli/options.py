"""The options that `dyno run` and `dyno check` share: how an experiment becomes a plan."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dyno.cli.find import find_experiment
from dyno.errors import SpecError
from dyno.spec.plan import Options, Plan, make_plan
from dyno.spec.read import read_experiment
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
Seed = Annotated[int, typer.Option("--seed", min=0, help="Draws data and the order of arms.")]
Out = Annotated[Path, typer.Option("--out", help="The folder that holds run folders.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON on stdout.")]


def plan_from(
    name: str,
    *,
    quick: bool,
    scale: float | None,
    blocks: int | None,
    budget: str | None,
    arms: str | None,
    servers: list[str] | None,
    seed: int,
) -> Plan:
    """Read the experiment and make its plan. Raises SpecError."""
    try:
        budget_s = parse_duration_s(budget) if budget is not None else None
    except ValueError as error:
        raise SpecError(f"--budget: {error}") from None
    if budget_s == 0:
        raise SpecError("--budget: 0 leaves no time to measure", hint="give a duration such as 20m")
    label, path = find_experiment(name)
    options = Options(
        quick=quick,
        scale=scale,
        blocks=blocks,
        budget_s=budget_s,
        arms=tuple(part.strip() for part in arms.split(",") if part.strip()) if arms else (),
        servers=tuple(servers or ()),
        seed=seed,
    )
    return make_plan(read_experiment(path), options, name=label)
