"""`dyno sysbench` and `dyno slap`: command lines that dynoload understands by itself.

Nothing is read here: this process becomes dynoload, with all that stands behind the name.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

import typer

from dyno.runner.load import find_dynoload

# Options, --help too, are those of the other program.
AS_TYPED = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}


def _become(door: str) -> None:
    arguments = sys.argv[sys.argv.index(door) + 1 :]
    program = str(find_dynoload())
    sys.stdout.flush()
    os.execv(program, [program, door, *arguments])


def sysbench() -> None:
    """Run a sysbench command line or script: dyno sysbench --help."""
    _become("sysbench")


def slap() -> None:
    """Run a mysqlslap command line: dyno slap --help."""
    _become("slap")


DOORS: dict[str, Callable[[], None]] = {"sysbench": sysbench, "slap": slap}


def register(app: typer.Typer) -> None:
    """Make them commands of `app`."""
    for name, command in DOORS.items():
        app.command(name, context_settings=AS_TYPED, add_help_option=False)(command)
