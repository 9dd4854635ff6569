"""The workload `queries` against sysbench's oltp_point_select: the same SELECT of the same tables,
each table's a query of its own.

    python -m benches.run --only queries --server mariadb-trixie
    python -m benches.run --only queries --server mysql-sid
"""

from __future__ import annotations

from typing import Any

from benches.rows.oltp import ROWS_A_TABLE, TABLES, by_sysbench, make_tables
from benches.rows.row import CPU, DYNO, THROUGHPUT, Cell, Row, at_least, at_most
from benches.tools.dynoload import dynoload

CONNECTIONS = 64


def workload() -> dict[str, Any]:
    """A query for each table."""
    id_ = {"draw": "int", "min": 1, "max": ROWS_A_TABLE}
    queries = [
        {
            "name": f"sbtest{table}",
            "sql": [f"SELECT c FROM sbtest{table} WHERE id=:id"],
            "values": {"id": id_},
        }
        for table in range(1, TABLES + 1)
    ]
    return {"kind": "queries", "queries": queries}


BESIDE = Cell(
    f"queries at {CONNECTIONS}",
    {
        DYNO: dynoload(workload(), connections=CONNECTIONS, warmup_s=1),
        "sysbench": by_sysbench("oltp_point_select", CONNECTIONS),
    },
    make_tables,
)

ROWS = (
    Row(f"queries.{CONNECTIONS}.cpu", BESIDE, CPU, "sysbench", at_most(0.6)),
    Row(f"queries.{CONNECTIONS}.throughput", BESIDE, THROUGHPUT, "sysbench", at_least(0.98)),
)
