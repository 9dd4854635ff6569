"""Making and filling sysbench's tables, by dynoload and by sysbench; an op is a row."""

from __future__ import annotations

from benches.rows.oltp import TABLES, workload
from benches.rows.row import CPU, DYNO, TIME, Cell, Row, at_most
from benches.tools.dynoload import dynoload_loading
from benches.tools.sysbench import sysbench_loading

ROWS_A_TABLE = 250_000
ALL_ROWS = TABLES * ROWS_A_TABLE
LOADERS = 4
SCRIPT = "oltp_read_write"

LOADING = Cell(
    f"loading {TABLES} x {ROWS_A_TABLE:,} rows",
    {
        DYNO: dynoload_loading(
            {**workload(SCRIPT, ROWS_A_TABLE), "loaders": LOADERS}, rows=ALL_ROWS
        ),
        "sysbench": sysbench_loading(
            SCRIPT,
            f"--tables={TABLES}",
            f"--table-size={ROWS_A_TABLE}",
            threads=LOADERS,
            rows=ALL_ROWS,
        ),
    },
    # The fewest with an interval at 95 %; a block of it takes as long as ten of others.
    blocks_most=6,
)

ROWS = (
    Row("loading.cpu", LOADING, CPU, "sysbench", at_most(0.4)),
    Row("loading.time", LOADING, TIME, "sysbench", at_most(1)),
)
