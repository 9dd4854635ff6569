"""The subcommands of `dyno`, and what they are told before their names."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from dyno import __version__
from dyno.cli import (
    check,
    check_data,
    check_durability,
    doors,
    experiments,
    graph,
    import_log,
    report,
    run,
    servers,
    watch,
)

EPILOG = (
    "Exit codes: 0 done · 1 internal error · 2 wrong arguments or experiment · 3 a server can't "
    "be had · 4 the load generator broke off · 5 the run folder can't be read or written · 6 no "
    "usable result · 7 broken data · 130 interrupted. Data goes to stdout, messages "
    "to stderr; NO_COLOR is honoured."
)

app = typer.Typer(
    name="dyno",
    help="A test bench for database storage engines: real servers, interleaved trials, "
    "an interval with every figure.",
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("run")(run.run)
app.command("check")(check.check)
app.command("check-data")(check_data.check_data)
app.command("check-isolation")(check_data.check_isolation)
app.command("check-durability")(check_durability.check_durability)
app.command("experiments")(experiments.experiments)
app.command("report")(report.report)
app.command("graph")(graph.graph)
app.command("import-log")(import_log.import_log)
app.command("watch")(watch.watch)
doors.register(app)
app.add_typer(servers.app, name="servers")


def _version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"dyno {__version__}\n")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options before the subcommand."""
