"""`dyno sysbench`, `dyno slap`, `dyno linkbench`: command lines that dynoload understands.

Nothing is read here but --out and --placement: this process becomes dynoload, with all else that
stands behind the name.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from dyno.cli import streams
from dyno.errors import SpecError
from dyno.passwords import command_handed_down
from dyno.program import find_dynoload
from dyno.recorded.own import take_option

DOORS = {
    "sysbench": "Run a sysbench command line or script: dyno sysbench --help.",
    "slap": "Run a mysqlslap command line: dyno slap --help.",
    "linkbench": "Run a LinkBench command line: dyno linkbench --help.",
}
PLACEMENT = "--placement"
# What each ends with where it can't write.
CLOSED = {"sysbench": 1, "slap": 1, "linkbench": 5}


def pass_on(argv: Sequence[str]) -> int | None:
    """Become dynoload if the first argument is one of the doors; else None, and nothing is done.

    With --out this process stays, to file what dynoload records; gives the exit code.
    """
    if len(argv) < 2 or argv[1] not in DOORS:
        return None
    door, words = argv[1], _placed(argv[2:])
    if sys.stderr is not None and sys.stderr.isatty():
        _hint(door, words)
    if any(word.partition("=")[0] == "--out" for word in words):
        # Only --out reads results and draws charts: other command lines don't load this.
        from dyno.cli.recorded import run_recorded

        return run_recorded(door, words)
    if streams.is_closed(sys.stdout):
        # dynoload would find it open, on /dev/null, and report no error.
        sys.stderr.write(f"error: can't write standard output: {os.strerror(errno.EBADF)}\n")
        return CLOSED[door]
    sys.stdout.flush()
    return _become(str(find_dynoload()), [door, *words])


def _hint(door: str, words: Sequence[str]) -> None:
    from dyno.cli.coin import coin_hint

    if hint := coin_hint(door, words):
        sys.stderr.write(f"hint: {hint}\n")


def _placed(words: Sequence[str]) -> list[str]:
    """The words without --placement. If it is there, this process keeps to the load generator's
    CPUs, and so does what it becomes or starts. Servers stay where they are: they aren't ours.
    """
    placement, rest = take_option(words, PLACEMENT)
    if placement is not None:
        _keep_to(placement)
    return rest


def _keep_to(placement: str) -> None:
    from pydantic_core import PydanticCustomError

    from dyno.runner.placement import sets_of
    from dyno.spec.placement import read_placement

    try:
        sets = sets_of(read_placement(placement))
    except PydanticCustomError as error:
        hint = str((error.context or {})["hint"])
        raise SpecError(f"{PLACEMENT}: {error.message()}", hint=hint) from None
    if sets is not None:
        os.sched_setaffinity(0, sets.generator)


def _become(program: str, arguments: Sequence[str]) -> NoReturn:
    """Become the program. A command line with a password is handed down to it: everybody may read
    the arguments of a process.
    """
    with command_handed_down([program, *arguments]) as (shown, environment, words):
        if shown[1:] == list(arguments):
            os.execv(program, shown)
        os.set_inheritable(words, True)
        os.execve(program, shown, environment)


def passed_on() -> None:
    """Stands in the list of commands; `pass_on` has taken its place before it could be run."""
    raise AssertionError("main() passes these on")
