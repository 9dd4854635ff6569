"""Options that several commands share, and what is typed as their values."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dyno.errors import SpecError
from dyno.spec.units import parse_duration_s

if TYPE_CHECKING:
    # Most commands with an option of this page need no servers.
    from dyno.servers import Setting

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
Hosts = Annotated[
    Path | None,
    typer.Option("--hosts", help="Make the load on the load hosts of this file, see dyno hosts."),
]
HostSet = Annotated[
    str | None, typer.Option("--set", help="With --hosts: this set of them. Default: the first.")
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON on stdout.")]


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
