"""sysbench-tpcc (Percona-Lab), Lua scripts that sysbench runs: load and run. Not part of Dyno.

A checkout of it is found by DYNO_SYSBENCH_TPCC; nothing of it is installed by anyone here.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

from benches.child import Cost
from benches.stand import Stand, Tool
from benches.tools.sysbench import THEIRS, prepare, sysbench, sysbench_loading

NAME = "sysbench-tpcc"
VARIABLE = "DYNO_SYSBENCH_TPCC"
SCRIPT = "tpcc.lua"
# `prepare` waits so long between making the tables and filling them, whatever their number.
SLEPT_S = 30.0


def lacks() -> str | None:
    """Why it can't be run here; None if it can."""
    folder = os.environ.get(VARIABLE)
    if not folder:
        return (
            f"{VARIABLE} isn't set: it names the folder of a checkout of Percona-Lab/sysbench-tpcc"
        )
    if not (Path(folder) / SCRIPT).is_file():
        return f"{VARIABLE}={folder} has no file {SCRIPT}"
    return None if shutil.which(THEIRS[0]) else f"there is no program {THEIRS[0]}"


def command() -> tuple[str, ...]:
    """sysbench in the folder of the scripts, which look for one another only there."""
    return ("env", f"--chdir={os.environ[VARIABLE]}", *THEIRS)


def options(warehouses: int) -> tuple[str, ...]:
    """No foreign keys, repeatable read, as Dyno does by default."""
    return ("--tables=1", f"--scale={warehouses}", "--use_fk=0", "--trx_level=RR")


def tpcc_sysbench(*, warehouses: int, threads: int, warmup_s: int, schema: str) -> Tool:
    """A closed load; an op is a transaction of any kind."""
    given = options(warehouses)
    return sysbench(
        SCRIPT, *given, threads=threads, warmup_s=warmup_s, program=command, schema=schema
    )


def fill(stand: Stand, *, warehouses: int, loaders: int, schema: str) -> Cost:
    """Make and fill the tables in a schema that is there."""
    given = (*options(warehouses), f"--threads={loaders}")
    return prepare(stand, SCRIPT, *given, program=command, schema=schema)


def tpcc_sysbench_loading(*, warehouses: int, loaders: int) -> Tool:
    """Tables made and filled in a new schema; an op is a warehouse. Its sleep is in its time."""
    given = options(warehouses)
    tool = sysbench_loading(SCRIPT, *given, threads=loaders, rows=warehouses, program=command)
    return lambda stand: replace(tool(stand), slept_s=SLEPT_S)
