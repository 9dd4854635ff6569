"""The floor: static packets and counted bytes, by the way of doing I/O that Dyno has chosen.

That is epoll in the batch class (docs/adr/0008-io-strategy.md). No client can cost less by it.
"""

from __future__ import annotations

import json

from benches.child import run
from benches.stand import SCHEMA, Sample, Stand, Tool


def floor(*, connections: int, rows: int) -> Tool:
    """Point selects by key, prepared, in one table of n rows.

    It says itself what its loop cost in the window. It has nothing to warm up.
    """

    def tool(stand: Stand) -> Sample:
        argv = ["chrt", "--batch", "0", str(stand.floor), "--strategy", "epoll"]
        argv += ["--socket", str(stand.server.socket), "--database", SCHEMA, "--rows", str(rows)]
        argv += ["--connections", str(connections), "--seconds", str(stand.seconds)]
        cost, (line,) = run(argv, stand.folder)
        said = json.loads(line.text)
        return Sample(
            cost,
            ops=said["ops"],
            elapsed_s=said["elapsed_s"],
            cpu_s=said["cpu_user_s"] + said["cpu_system_s"],
        )

    return tool
