"""`dyno sysbench`, `dyno slap`, `dyno linkbench`: command lines that dynoload understands.

Nothing is read here but --out: this process becomes dynoload, with all that stands behind the name.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import typer

from dyno.program import find_dynoload

DOORS = {
    "sysbench": "Run a sysbench command line or script: dyno sysbench --help.",
    "slap": "Run a mysqlslap command line: dyno slap --help.",
    "linkbench": "Run a LinkBench command line: dyno linkbench --help.",
}


def pass_on(argv: Sequence[str]) -> None:
    """Become dynoload if the first argument is one of the doors; all others stay as typed.

    With --out this process stays, to file what dynoload records, and exits with its code.
    """
    if len(argv) > 1 and argv[1] in DOORS:
        if any(word.partition("=")[0] == "--out" for word in argv[2:]):
            # It reads and draws, so it needs what a door is spared.
            from dyno.cli.recorded import run_recorded

            sys.exit(run_recorded(argv[1], argv[2:]))
        program = str(find_dynoload())
        sys.stdout.flush()
        os.execv(program, [program, *argv[1:]])


def register(app: typer.Typer) -> None:
    """List them among the commands of `app`, which never come to run them."""
    for name, says in DOORS.items():
        app.command(name, help=says, add_help_option=False)(_passed_on)


def _passed_on() -> None:
    raise AssertionError("main() passes these on")
