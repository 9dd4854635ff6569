"""Records what a real server says of a statement, for tests of the model that estimates its time.

    PYTHONPATH=python:tests/live:tests/live/watch python tests/live/watch/record.py \\
        SERVER ROWS WRITES_PER_S TIMES NAME... [--stages]

writes tests/unit/watch/recordings/SERVER-NAME-N.jsonl.gz: a line on what was done and how long it
took, then a line a reading. NAME is that of a statement in altering.py. The table has ROWS rows;
WRITES_PER_S inserts, updates and deletes go on beside. It also prints the worst error of the ETA
after the first third: with enough rows for a minute this is the trial at full length. With --stages
the server's own counters aren't asked, as if it were one that has stage events alone.
"""

from __future__ import annotations

import gzip
import json
import sys
import time
from contextlib import ExitStack, closing
from dataclasses import asdict
from pathlib import Path

import altering
from altering import UNDO, Statement, fill, settle, switch_stages, writing
from standing import standing

from dyno.servers import Server
from dyno.watch import EtaModel, Reader, Reading

FOLDER = Path(__file__).parents[2] / "unit" / "watch" / "recordings"
EVERY_S = 0.2


def record(server: Server, sql: str, stages: bool) -> tuple[list[tuple[float, Reading]], float]:
    """Run a statement to its end; the readings with their times since its begin, and its time."""
    readings = []
    with closing(server.admin()) as connection:
        reader = Reader(connection, server.version)
        if stages:
            reader._sources.has_onlineddl = False
        statement = Statement.begin(server, sql)
        while statement.took_s is None:
            readings.append((time.monotonic() - statement.begun_s, reader.read()))
            time.sleep(EVERY_S)
        return readings, statement.end()


def worst_error(readings: list[tuple[float, Reading]], sql: str, total_s: float) -> float:
    """By how much of the true time the ETA is off at most, after the first third."""
    model, worst = EtaModel(), 0.0
    for at_s, reading in readings:
        model.add(at_s, reading)
        for job in reading.jobs:
            estimate = model.estimate(job)
            waits = job.state.startswith("Waiting for")
            if total_s / 3 < at_s < total_s and job.sql == sql and not waits:
                # Not knowing is as wrong as can be.
                estimate_s = estimate.total_s or 0.0
                worst = max(worst, abs(estimate_s / total_s - 1))
    return worst


def main(
    server_name: str, rows: int, per_s: float, times: int, names: list[str], stages: bool
) -> None:
    FOLDER.mkdir(exist_ok=True)
    events = {"performance_schema": "ON"} if stages else {}
    with standing(server_name, innodb_buffer_pool_size="256M", **events) as (server, admin, _):
        if stages:
            switch_stages(admin, on=True)
        fill(admin, rows)
        print(f"{server_name}: {rows:,} rows are there", flush=True)
        admin.select_db(altering.SCHEMA)
        for name, number in ((name, number) for name in names for number in range(times)):
            sql = getattr(altering, name)
            settle(server)
            with ExitStack() as stack:
                if per_s:
                    stack.enter_context(writing(server, rows=rows, per_s=per_s))
                    time.sleep(1)
                readings, total_s = record(server, sql, stages)
            said = {"server": server_name, "rows": rows, "writes_per_s": per_s, "sql": sql}
            what = f"{name.lower()}{'-stages' if stages else ''}-{number}"
            path = FOLDER / f"{server_name}-{what}.jsonl.gz"
            _write(path, said | {"total_s": total_s}, readings)
            error = 100 * worst_error(readings, sql, total_s)
            print(f"{path.name}: {total_s:.1f} s, worst error {error:.1f} %", flush=True)
            if sql in UNDO:
                with admin.cursor() as cursor:
                    cursor.execute(UNDO[sql])


def _write(path: Path, said: dict[str, object], readings: list[tuple[float, Reading]]) -> None:
    lines = [said, *({"t_s": round(at_s, 3), **asdict(reading)} for at_s, reading in readings)]
    text = "".join(json.dumps(line, default=float) + "\n" for line in lines)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    server, rows, per_s, times, *names = [one for one in sys.argv[1:] if one != "--stages"]
    main(server, int(rows), float(per_s), int(times), names, "--stages" in sys.argv)
