"""The workload `sysbench` against sysbench itself: the same Lua script, with a thread and a state
for each connection in both.

    python -m benches.run --only 'scripts*' --server mariadb-trixie
    python -m benches.run --only 'scripts*' --server mysql-sid
"""

from __future__ import annotations

from typing import Any

from benches.rows.oltp import ROWS_A_TABLE, TABLES, by_sysbench, make_tables
from benches.rows.row import CPU, DYNO, THROUGHPUT, Cell, Row, at_least, at_most
from benches.tools.dynoload import dynoload

CONNECTIONS = 64


def workload(script: str) -> dict[str, Any]:
    """A bundled script, run in Lua."""
    options = {"tables": TABLES, "table-size": ROWS_A_TABLE, "rand-type": "uniform"}
    texts = {name: str(value) for name, value in options.items()}
    return {"kind": "sysbench", "script": script, "options": texts}


def _beside(script: str) -> Cell:
    tools = {
        DYNO: dynoload(workload(script), connections=CONNECTIONS, warmup_s=1),
        "sysbench": by_sysbench(script, CONNECTIONS),
    }
    return Cell(f"script {script} at {CONNECTIONS}", tools, make_tables)


BESIDE = {name: _beside(f"oltp_{name}") for name in ("point_select", "read_write")}

ROWS = tuple(
    row
    for name, cell in BESIDE.items()
    for row in (
        Row(f"scripts.{name}.{CONNECTIONS}.cpu", cell, CPU, "sysbench", at_most(0.8)),
        Row(
            f"scripts.{name}.{CONNECTIONS}.throughput", cell, THROUGHPUT, "sysbench", at_least(0.98)
        ),
    )
)
