"""A run with server and tool on CPUs of their own: the same placement for every tool."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benches.stand import Sample, Stand, Tool
from dyno.cpus import CpuSet
from dyno.errors import LoadError
from dyno.runner.placement import sets_of


def placed(tool: Tool) -> Tool:
    """The tool under `split`. Raises LoadError where there is one core."""

    def run(stand: Stand) -> Sample:
        with split(stand.server.pid):
            return tool(stand)

    return run


@contextmanager
def split(server_pid: int) -> Iterator[None]:
    """Every thread of the server on its CPUs, this process and what it starts on the others."""
    sets = sets_of("split")
    if sets is None:
        raise LoadError("this host has one core, and placement needs two")
    before = os.sched_getaffinity(0)
    _move(server_pid, sets.server)
    os.sched_setaffinity(0, sets.generator)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
        _move(server_pid, frozenset(before))


def _move(pid: int, cpus: CpuSet) -> None:
    """Bind all threads; those that come later inherit it."""
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            os.sched_setaffinity(int(task.name), cpus)
        except ProcessLookupError:
            continue  # It has ended since.
