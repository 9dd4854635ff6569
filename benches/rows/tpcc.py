"""TPC-C-like transactions and their tables' load against sysbench-tpcc and tpcc-mysql.

    DYNO_SYSBENCH_TPCC=/path/to/sysbench-tpcc DYNO_TPCC_MYSQL=/path/to/tpcc-mysql \\
    python -m benches.run --only tpcc --server mariadb-debian

Each tool has a schema of its own on the same server. All do 10 new orders and 10 payments to one
of each other kind, each at a newly drawn warehouse, at repeatable read, without foreign keys. The
tables are filled once and grow by short runs in turn, those of a faster tool by more. An op is a
transaction of any kind that ended well; the intended rollbacks are among them. What differs in
the peers' favour stays: sysbench-tpcc, for one, draws no remote warehouse.
"""

from __future__ import annotations

from typing import Any

from benches.rows.row import (
    CPU,
    DYNO,
    SERVER_CPU,
    THROUGHPUT,
    TIME,
    TIME_AWAKE,
    Cell,
    Row,
    at_least,
    at_most,
)
from benches.stand import LOADING_SCHEMA, Sample, Stand, Tool, lasting
from benches.tools import dynoload, tpcc_mysql, tpcc_sysbench

WAREHOUSES = 2
CONNECTIONS = 8
LOADERS = 2
WARMUP_S = 3
# The rare kinds cost most, and one run has few of them.
WINDOW_S = 12
WORKLOAD: dict[str, Any] = {
    "kind": "tpcc",
    "warehouses": WAREHOUSES,
    "home": "random",
    "loaders": LOADERS,
}
LUA, C = tpcc_sysbench.NAME, tpcc_mysql.NAME
SCHEMAS = {DYNO: "bench_tpcc", LUA: "bench_tpcc_lua", C: "bench_tpcc_c"}
LACKS = {LUA: tpcc_sysbench.lacks, C: tpcc_mysql.lacks}


def make_tables(stand: Stand) -> None:
    """Fill the schema of each tool that is here."""
    for name in SCHEMAS.values():
        stand.make_schema(name)
    dynoload.fill(stand, WORKLOAD, SCHEMAS[DYNO])
    if not tpcc_sysbench.lacks():
        schema = SCHEMAS[LUA]
        tpcc_sysbench.fill(stand, warehouses=WAREHOUSES, loaders=LOADERS, schema=schema)
    if not tpcc_mysql.lacks():
        tpcc_mysql.fill(stand, warehouses=WAREHOUSES, schema=SCHEMAS[C])


def leaving_none(tool: Tool) -> Tool:
    """A tool after which its tables go, so that they keep no others out of the buffer pool."""

    def both(stand: Stand) -> Sample:
        sample = tool(stand)
        stand.execute(f"DROP DATABASE {LOADING_SCHEMA}")
        return sample

    return both


SIZE = {"warehouses": WAREHOUSES, "warmup_s": WARMUP_S}
OURS = dynoload.dynoload(WORKLOAD, connections=CONNECTIONS, warmup_s=WARMUP_S, schema=SCHEMAS[DYNO])
IN_LUA = tpcc_sysbench.tpcc_sysbench(threads=CONNECTIONS, schema=SCHEMAS[LUA], **SIZE)
IN_C = tpcc_mysql.tpcc_mysql(connections=CONNECTIONS, schema=SCHEMAS[C], **SIZE)
RUNNING = Cell(
    f"TPC-C-like, {WAREHOUSES} warehouses at {CONNECTIONS}",
    {n: lasting(WINDOW_S, tool) for n, tool in ((DYNO, OURS), (LUA, IN_LUA), (C, IN_C))},
    make_tables,
    lacks=LACKS,
)
LOADING = Cell(
    f"TPC-C-like, loading {WAREHOUSES} warehouses",
    {
        DYNO: leaving_none(dynoload.dynoload_loading(WORKLOAD, rows=WAREHOUSES)),
        LUA: leaving_none(
            tpcc_sysbench.tpcc_sysbench_loading(warehouses=WAREHOUSES, loaders=LOADERS)
        ),
    },
    # The fewest with an interval at 95 %.
    blocks_most=6,
    lacks=LACKS,
)

ROWS = (
    Row("tpcc.run.cpu", RUNNING, CPU, LUA, at_most(0.4)),
    Row("tpcc.run.throughput", RUNNING, THROUGHPUT, LUA, at_least(1.1)),
    Row("tpcc.run.server_cpu", RUNNING, SERVER_CPU, LUA),
    Row("tpcc.run.cpu_tpcc_mysql", RUNNING, CPU, C),
    Row("tpcc.run.throughput_tpcc_mysql", RUNNING, THROUGHPUT, C),
    Row("tpcc.run.server_cpu_tpcc_mysql", RUNNING, SERVER_CPU, C),
    # sysbench-tpcc sleeps 30 s before it fills anything: whoever waits for it waits for that, too.
    Row("tpcc.load.time", LOADING, TIME, LUA, at_most(0.6)),
    Row("tpcc.load.time_awake", LOADING, TIME_AWAKE, LUA),
    Row("tpcc.load.cpu", LOADING, CPU, LUA),
)
