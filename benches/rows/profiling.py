"""What a profile costs the one who is measured: point selects with a profile against without."""

from __future__ import annotations

import shutil

from benches.placed import placed
from benches.rows.oltp import make_tables, workload
from benches.rows.row import DYNO, THROUGHPUT, Cell, Row, at_least
from benches.stand import Sample, Stand, Tool, lasting
from benches.tools.dynoload import dynoload
from dyno.errors import LoadError
from dyno.telemetry import Profiler

BARE = "unprofiled"
WINDOW_S = 4


def profiled(tool: Tool) -> Tool:
    """The same run with the server sampled from before its begin to after its end."""

    def run(stand: Stand) -> Sample:
        profiler = Profiler(stand.server.pid, folder=stand.folder)
        profiler.start()
        try:
            profiler.begin()
            sample = tool(stand)
            profiler.stop()
            found = profiler.read()
        finally:
            profiler.abandon()
        if found.unavailable:
            raise LoadError(f"no profile: {found.unavailable}", hint="leave out the rows profile.*")
        return sample

    return run


def lacks_perf() -> str | None:
    return None if shutil.which("perf") else "perf isn't installed"


def beside_itself(connections: int) -> Cell:
    bare = dynoload(workload("oltp_point_select"), connections=connections, warmup_s=1)
    tools = {
        DYNO: placed(lasting(WINDOW_S, profiled(bare))),
        BARE: placed(lasting(WINDOW_S, bare)),
    }
    name = f"oltp_point_select at {connections}, profiled"
    return Cell(name, tools, make_tables, lacks={DYNO: lacks_perf})


ROWS = tuple(
    Row(f"profile.{n}.throughput", beside_itself(n), THROUGHPUT, BARE, at_least(0.99))
    for n in (1, 16, 256)
)
