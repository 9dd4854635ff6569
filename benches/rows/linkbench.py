"""LinkBench's requests and its load, against LinkBench itself.

    DYNO_LINKBENCH=/path/to/linkbench python -m benches.run --only linkbench \\
    --server mariadb-debian --blocks 6

Profile `fb-as-coded` with LinkBench's own Distribution.dat, over TCP on loopback on both sides, for
LinkBench knows no socket. In each block each tool makes and refills its tables before it runs,
untimed, for lists grow with every request that was done: so both begin with the same data. The
warm-up is as long as the JVM takes to compile what is hot. `benches.linkbench_agrees` tells whether
both do the same work.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benches.rows.row import (
    CPU,
    DYNO,
    LATENCY,
    MEMORY,
    SERVER_CPU,
    THROUGHPUT,
    TIME,
    TIME_AWAKE,
    Cell,
    Row,
    at_least,
    at_most,
)
from benches.rows.tpcc import leaving_none
from benches.stand import Sample, Stand, Tool, lasting
from benches.tools import dynoload, linkbench_java
from benches.tools.linkbench_java import DISTRIBUTION, in_folder

IDS = 100_000
# What both load, for this number of ids.
LINKS = 1_368_899
REQUESTERS = 8
LOADERS = 4
WARMUP_S = 10
WINDOW_S = 20
SCHEMA = "bench_linkbench"
THEIRS = linkbench_java.NAME


def workload(ids: int = IDS) -> dict[str, Any]:
    """Dyno's side, with the data file of the checkout."""
    return {
        "kind": "linkbench",
        "ids": ids,
        "profile": "fb-as-coded",
        "distribution": str(in_folder(DISTRIBUTION)),
        "loaders": LOADERS,
    }


def on_new_tables(fill: Callable[[Stand], object], tool: Tool) -> Tool:
    """A tool that runs on tables made and filled right before; that isn't in its sample."""

    def both(stand: Stand) -> Sample:
        stand.make_schema(SCHEMA)
        fill(stand)
        stand.settle()
        return tool(stand)

    return both


def ours() -> Tool:
    run = dynoload.dynoload(
        workload(), connections=REQUESTERS, warmup_s=WARMUP_S, over="tcp", schema=SCHEMA
    )
    return on_new_tables(lambda stand: dynoload.fill(stand, workload(), SCHEMA), run)


def theirs() -> Tool:
    run = linkbench_java.linkbench(ids=IDS, requesters=REQUESTERS, warmup_s=WARMUP_S, schema=SCHEMA)
    return on_new_tables(
        lambda stand: linkbench_java.fill(stand, ids=IDS, loaders=LOADERS, schema=SCHEMA), run
    )


LACKS = {THEIRS: linkbench_java.lacks}
RUNNING = Cell(
    f"LinkBench, {IDS:,} ids at {REQUESTERS}",
    {DYNO: lasting(WINDOW_S, ours()), THEIRS: lasting(WINDOW_S, theirs())},
    # The fewest with an interval at 95 %, here and below.
    blocks_most=6,
    lacks=LACKS,
)
LOADING = Cell(
    f"LinkBench, loading {IDS:,} ids",
    {
        DYNO: leaving_none(dynoload.dynoload_loading(workload(), rows=LINKS, over="tcp")),
        THEIRS: leaving_none(linkbench_java.linkbench_loading(ids=IDS, loaders=LOADERS)),
    },
    blocks_most=6,
    lacks=LACKS,
)

ROWS = (
    Row("linkbench.run.cpu", RUNNING, CPU, THEIRS, at_most(0.25)),
    Row("linkbench.run.throughput", RUNNING, THROUGHPUT, THEIRS, at_least(1.25)),
    Row("linkbench.run.server_cpu", RUNNING, SERVER_CPU, THEIRS),
    Row("linkbench.run.latency", RUNNING, LATENCY, THEIRS),
    Row("linkbench.run.memory", RUNNING, MEMORY, THEIRS, at_most(0.2)),
    Row("linkbench.load.time", LOADING, TIME, THEIRS, at_most(0.6)),
    # Its loaders sleep before they connect: whoever waits for it waits for that, too.
    Row("linkbench.load.time_awake", LOADING, TIME_AWAKE, THEIRS, at_most(0.6)),
    Row("linkbench.load.cpu", LOADING, CPU, THEIRS),
    Row("linkbench.load.memory", LOADING, MEMORY, THEIRS, at_most(0.2)),
)
