"""Finds what `--resume` goes on with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dyno.cli.find import runs_of
from dyno.spec.plan import Plan
from dyno.store.run import RunFolder


def newest_unfinished(
    name: str, out: Path, *, fits: Callable[[Plan], bool] = lambda _: True
) -> RunFolder | None:
    """The newest run of this name that isn't complete and whose plan fits; None without one."""
    for path in reversed(runs_of(name, out)):
        folder = RunFolder.open(path)
        if folder.state().state != "complete" and fits(folder.plan()):
            return folder
    return None
