"""The command lines of sysbench and mysqlslap: the same one, run by them and by dynoload.

The script is sysbench's own file, in Lua on both sides; by its name it is native here, too.
"""

from __future__ import annotations

from benches.rows.oltp import OPTIONS, make_tables
from benches.rows.row import CPU, DYNO, THROUGHPUT, Bar, Cell, Row, at_least, at_most
from benches.stand import Over, Tool
from benches.tools import slap as slap_line
from benches.tools import sysbench as sysbench_line

SCRIPT = "/usr/share/sysbench/oltp_read_write.lua"
QUERIES = 50_000


def by_both(
    script: str, *options: str, threads: int, warmup_s: int, over: Over = "socket"
) -> dict[str, Tool]:
    """The same command line, run by Dyno and by sysbench."""
    programs = {DYNO: sysbench_line.ours, "sysbench": lambda: sysbench_line.THEIRS}
    return {
        name: sysbench_line.sysbench(
            script, *options, threads=threads, warmup_s=warmup_s, over=over, program=program
        )
        for name, program in programs.items()
    }


def of_script(script: str, threads: int) -> Cell:
    tools = by_both(script, *OPTIONS, threads=threads, warmup_s=1)
    return Cell(f"{script} at {threads}", tools, make_tables)


def of_slap(engine: str, clients: int) -> Cell:
    tools = {
        name: slap_line.slap(program, engine=engine, clients=clients, queries=QUERIES)
        for name, program in ((DYNO, slap_line.ours), ("mariadb-slap", slap_line.theirs))
    }
    return Cell(f"{QUERIES:,} INSERTs of mysqlslap into {engine} at {clients}", tools)


LUA = of_script(SCRIPT, 64)
LUA_ALONE = of_script(SCRIPT, 1)
NATIVE = of_script("oltp_read_write", 64)
SLAP = {(e, n): of_slap(e, n) for e in ("innodb", "myisam") for n in (25, 100)}
# MyISAM's table lock answers one client at a time, and each answer is a wake-up of its own, which
# the system charges to either program alike: nothing is left to save there.
SLAP_BARS: dict[str, Bar] = {"innodb": at_most(0.7)}

ROWS = (
    Row("script.64.cpu", LUA, CPU, "sysbench", at_most(0.9)),
    Row("script.64.throughput", LUA, THROUGHPUT, "sysbench", at_least(0.98)),
    Row("script.1.throughput", LUA_ALONE, THROUGHPUT, "sysbench", at_least(0.98)),
    Row("script_native.64.cpu", NATIVE, CPU, "sysbench", at_most(0.6)),
    *(
        Row(f"slap_{e}.{n}.cpu", cell, CPU, "mariadb-slap", SLAP_BARS.get(e))
        for (e, n), cell in SLAP.items()
    ),
)
