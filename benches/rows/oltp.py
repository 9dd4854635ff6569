"""Point selects and read-write transactions against sysbench, and against the floor.

Keys are uniform, statements prepared, tables and rows the same for all. The floor reads one of the
four tables; sysbench and dynoload draw a table for each op.
"""

from __future__ import annotations

from typing import Any

from benches.rows.row import (
    CPU,
    DYNO,
    FAILED,
    LATENCY,
    MEMORY,
    SEND_LAG,
    THROUGHPUT,
    Bar,
    Cell,
    Row,
    at_least,
    at_most,
)
from benches.stand import SCHEMA, Over, Stand, Tool
from benches.tools.dynoload import dynoload, dynoload_open, fill
from benches.tools.floor import floor
from benches.tools.sysbench import sysbench

TABLES = 4
ROWS_A_TABLE = 25_000
OPTIONS = (f"--tables={TABLES}", f"--table-size={ROWS_A_TABLE}", "--rand-type=uniform")
MANY = 1000
# A sysbench thread has a Lua state of its own, which compiles again what it runs; until it has done
# so in 256 of them, an op costs half as much again.
WARMUP_S = {256: 4}


def workload(script: str, table_size: int = ROWS_A_TABLE) -> dict[str, Any]:
    return {
        "kind": "oltp",
        "script": script,
        "tables": TABLES,
        "table_size": table_size,
        "distribution": {"kind": "uniform"},
    }


def make_tables(stand: Stand) -> None:
    stand.make_schema(SCHEMA)
    fill(stand, workload("oltp_read_write"))


def by_sysbench(script: str, connections: int, *, over: Over = "socket") -> Tool:
    """A script of sysbench's own on these tables."""
    warmup_s = WARMUP_S.get(connections, 1)
    return sysbench(script, *OPTIONS, threads=connections, warmup_s=warmup_s, over=over)


def beside_sysbench(
    script: str, connections: int, *, over: Over = "socket", with_floor: bool = False
) -> Cell:
    warmup_s = WARMUP_S.get(connections, 1)
    tools = {
        DYNO: dynoload(workload(script), connections=connections, warmup_s=warmup_s, over=over),
        "sysbench": by_sysbench(script, connections, over=over),
    }
    if with_floor:
        tools["floor"] = floor(connections=connections, rows=ROWS_A_TABLE)
    return Cell(f"{script} at {connections} over {over}", tools, make_tables)


POINT = {n: beside_sysbench("oltp_point_select", n, with_floor=True) for n in (1, 16, 64, 256)}
POINT_TCP = beside_sysbench("oltp_point_select", 64, over="tcp")
POINT_MANY = beside_sysbench("oltp_point_select", MANY)
WRITES = beside_sysbench("oltp_read_write", 64)
HALF = Cell(
    "oltp_point_select at 64, open",
    {DYNO: dynoload_open(workload("oltp_point_select"), connections=64, warmup_s=1)},
    make_tables,
)
CPU_BARS: dict[int, Bar] = {64: at_most(0.75), 256: at_most(0.75)}

ROWS = (
    *(Row(f"point_select.{n}.cpu", c, CPU, "sysbench", CPU_BARS.get(n)) for n, c in POINT.items()),
    Row("point_select.64_tcp.cpu", POINT_TCP, CPU, "sysbench"),
    Row("read_write.64.cpu", WRITES, CPU, "sysbench", at_most(0.6)),
    *(Row(f"point_select.{n}.cpu_floor", c, CPU, "floor", at_most(1.5)) for n, c in POINT.items()),
    *(
        Row(f"point_select.{n}.throughput", c, THROUGHPUT, "sysbench", at_least(0.98))
        for n, c in POINT.items()
    ),
    Row("read_write.64.throughput", WRITES, THROUGHPUT, "sysbench", at_least(0.98)),
    Row("point_select.1.latency", POINT[1], LATENCY, "sysbench", at_most(1.02)),
    Row(f"point_select.{MANY}.memory", POINT_MANY, MEMORY, "sysbench", at_most(0.5)),
    Row(f"point_select.{MANY}.failed", POINT_MANY, FAILED, bar=at_most(0), by="worst"),
    Row("point_select.64_open.send_lag_p99", HALF, SEND_LAG, bar=at_most(1)),
)
