"""tpcc-mysql (Percona-Lab), programs in C with prepared statements: load and run. Not part of Dyno.

A checkout in which it was built is found by DYNO_TPCC_MYSQL.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from benches.child import Cost, Line, run, server_cpu_between
from benches.stand import Sample, Stand, Tool
from dyno.errors import LoadError

NAME = "tpcc-mysql"
VARIABLE = "DYNO_TPCC_MYSQL"
LOADER, DRIVER = "tpcc_load", "tpcc_start"
TABLES, INDEXES = "create_table.sql", "add_fkey_idx.sql"
# It cuts each argument off after this many bytes.
ARGUMENT_BYTES_MOST = 50

INTERVAL = re.compile(r" *\d+, trx: ")
KIND = re.compile(r" +\[\d\] sc:(\d+) lt:(\d+) +rt:\d+ +fl:(\d+) avg_rt: ")


def lacks() -> str | None:
    """Why it can't be run here; None if it can."""
    folder = os.environ.get(VARIABLE)
    if not folder:
        return f"{VARIABLE} isn't set: it names the folder of a build of Percona-Lab/tpcc-mysql"
    missing = [n for n in (LOADER, DRIVER, TABLES, INDEXES) if not (Path(folder) / n).is_file()]
    return f"{VARIABLE}={folder} has no file {missing[0]}" if missing else None


def tpcc_mysql(*, warehouses: int, connections: int, warmup_s: int, schema: str) -> Tool:
    """A closed load; an op is a transaction of any kind."""

    def tool(stand: Stand) -> Sample:
        socket = str(stand.server.socket)
        if len(socket.encode()) > ARGUMENT_BYTES_MOST:
            raise LoadError(f"{DRIVER} takes no socket as long as {socket}")
        argv = [str(_folder() / DRIVER), "-hlocalhost", f"-S{socket}", f"-d{schema}", "-uroot"]
        argv += [f"-w{warehouses}", f"-c{connections}", f"-r{warmup_s}", f"-l{stand.seconds}"]
        # One interval, at whose end it says so.
        cost, lines = run([*argv, f"-i{stand.seconds}"], stand.folder, stand.server.pid)
        return read_results(lines, cost)

    return tool


def fill(stand: Stand, *, warehouses: int, schema: str) -> Cost:
    """Make and fill the tables in a schema that is there, with keys, but without foreign ones."""
    stand.execute(f"USE {schema}", *statements((_folder() / TABLES).read_text()))
    argv = [str(_folder() / LOADER), "-h127.0.0.1", f"-P{stand.server.port}", f"-d{schema}"]
    cost, _ = run([*argv, "-uroot", "-p", "", f"-w{warehouses}"], stand.folder)
    indexes = statements((_folder() / INDEXES).read_text())
    stand.execute(f"USE {schema}", *(one for one in indexes if one.startswith("CREATE INDEX")))
    return cost


def statements(script: str) -> list[str]:
    """The statements of a script that has no semicolon but behind each."""
    return [one.strip() for one in script.split(";") if one.strip()]


def read_results(lines: Sequence[Line], cost: Cost) -> Sample:
    """The sample of a run's only interval; late ones are done, too."""
    kinds = [found for line in lines if (found := KIND.match(line.text))]
    begin = next((line for line in lines if line.text.startswith("MEASURING START")), None)
    end = next((line for line in lines if INTERVAL.match(line.text)), None)
    if begin is None or end is None or len(kinds) != 5:
        words = " / ".join(line.text for line in lines if line.text)
        raise LoadError(f"{DRIVER}'s results can't be read: {words}")
    return Sample(
        cost,
        ops=sum(int(kind[1]) + int(kind[2]) for kind in kinds),
        elapsed_s=end.t_s - begin.t_s,
        cpu_s=end.cpu_s - begin.cpu_s,
        failed=sum(int(kind[3]) for kind in kinds),
        server_cpu_s=server_cpu_between(begin, end),
    )


def _folder() -> Path:
    return Path(os.environ[VARIABLE])
