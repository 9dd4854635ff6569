"""A run with server and tool on CPUs of their own: the same placement for every tool."""

from __future__ import annotations

from benches.stand import Sample, Stand, Tool
from dyno.errors import LoadError
from dyno.runner.ground import staying_on
from dyno.runner.placement import sets_of


def placed(tool: Tool) -> Tool:
    """The tool under `split`. Raises LoadError where there is one core."""

    def run(stand: Stand) -> Sample:
        sets = sets_of("split")
        if sets is None:
            raise LoadError("this host has one core, and placement needs two")
        with staying_on(sets.server, stand.server.pid), staying_on(sets.generator):
            return tool(stand)

    return run
