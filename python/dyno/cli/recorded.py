"""`dyno sysbench --out=RUN` and the other doors: the command line, and a run folder of it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.markup import escape

from dyno.cli.report import conclude
from dyno.cli.screen import err
from dyno.recorded.record import record


def run_recorded(door: str, arguments: Sequence[str]) -> int:
    """Run it; the exit code is the command line's own."""
    done = record(door, arguments)
    if done.folder is None:
        err.print("nothing was recorded, so there is no run folder", soft_wrap=True)
        return done.exit_code
    conclude(done.folder)
    path = escape(str(done.folder.path))
    err.print(f"\nrun folder: {path}\nreport: {path}/report.html", soft_wrap=True)
    err.print(f"several in one picture: dyno graph a={path} b=…", soft_wrap=True)
    return done.exit_code
