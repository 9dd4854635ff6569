"""One command line from 1 to 1,000 threads, run by sysbench and by Dyno under the same placement.

Server and tool have CPUs of their own, so that neither tool's number of threads decides where the
server's run. Both print the same histogram, and percentiles are read from it alike. All rows are
run where `ladder` is asked for, the rungs of `USUAL` always.
"""

from __future__ import annotations

from benches.placed import placed
from benches.rows.doors import OPTIONS, by_both
from benches.rows.oltp import make_tables
from benches.rows.row import P50, P99, THROUGHPUT, Bar, Cell, Figure, Row, at_least, at_most
from benches.stand import Over

SCRIPTS = ("point_select", "read_only", "read_write", "write_only")
RUNGS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128, 256, 512, 1000)
OVER: tuple[Over, ...] = ("socket", "tcp")
USUAL = {("point_select", n, "socket") for n in (1, 2, 16, 256)}
BARS: dict[str, tuple[Figure, Bar]] = {
    "throughput": (THROUGHPUT, at_least(0.98)),
    "p50": (P50, at_most(1.02)),
    "p99": (P99, at_most(1.05)),
}


def _warmup_s(threads: int) -> int:
    """A thread of sysbench's has a Lua state of its own that compiles what it runs again."""
    return 1 if threads < 64 else 4 if threads <= 256 else 8


def _cell(script: str, threads: int, over: Over) -> Cell:
    tools = by_both(
        f"oltp_{script}",
        *OPTIONS,
        "--histogram=on",
        threads=threads,
        warmup_s=_warmup_s(threads),
        over=over,
    )
    tools = {name: placed(tool) for name, tool in tools.items()}
    return Cell(f"{script} at {threads} over {over}, placed", tools, make_tables)


def _rows() -> list[Row]:
    found = []
    for script in SCRIPTS:
        for over in OVER:
            for threads in RUNGS:
                cell = _cell(script, threads, over)
                usual = (script, threads, over) in USUAL
                for key, (figure, bar) in BARS.items():
                    called = f"ladder.{script}.{threads}_{over}.{key}"
                    found.append(Row(called, cell, figure, "sysbench", bar, usual=usual))
    return found


ROWS = tuple(_rows())
