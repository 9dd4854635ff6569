"""What an agent costs a load host at rest, and what a second load host adds."""

from __future__ import annotations

import os
from importlib.util import find_spec

from benches.rows.row import DYNO, THROUGHPUT, Cell, Figure, Row, at_least, at_most
from benches.stand import Sample, Stand, Tool


def resting(stand: Stand) -> Sample:
    # Only here: the engine is an extra, and takes half a second.
    from benches.tools.agent import resting

    return resting(stand)


def by_hosts(count: int) -> Tool:
    def tool(stand: Stand) -> Sample:
        from benches.tools.agent import loading

        return loading(stand, count=count)

    return tool


def lacks_engine() -> str | None:
    return None if find_spec("distributed") else "the extra hosts isn't installed"


def lacks_cpus() -> str | None:
    cpus = len(os.sched_getaffinity(0))
    return lacks_engine() or (None if cpus > 1 else "two hosts need two CPUs, and there is one")


CELL = Cell("an agent at rest", {DYNO: resting}, blocks_most=6, lacks={DYNO: lacks_engine})
TWO = Cell(
    "loads of two hosts and of one",
    {DYNO: by_hosts(2), "one host": by_hosts(1)},
    blocks_most=12,
    lacks={DYNO: lacks_cpus, "one host": lacks_engine},
)
CPU_SHARE = Figure("% of a core", lambda sample: 100 * sample.cpu_s / sample.elapsed_s)
MEMORY = Figure("MB", lambda sample: (sample.cost.rss_bytes_max or 0) / 1e6 or None)
BUSIEST = Figure("ms of 10", lambda sample: sample.busiest_ms)
LATE = Figure("ms", lambda sample: sample.late_ms)

ROWS = (
    Row("agent.cpu", CELL, CPU_SHARE, bar=at_most(1.0)),
    Row("agent.memory", CELL, MEMORY, bar=at_most(64.0)),
    Row("agent.busiest", CELL, BUSIEST, bar=at_most(5.0), by="worst"),
    Row("agent.two_hosts", TWO, THROUGHPUT, "one host", at_least(1.9)),
    Row("agent.two_hosts.late", TWO, LATE, bar=at_most(1.0), by="worst"),
)
