"""Dyno's own speed against its peers and the floor, interleaved in one run on one server.

    python benches/run.py [--blocks 8] [--seconds 3]

Each block runs every tool once, in an order drawn for the block, on one connection to the same
server; the figures are client CPU microseconds a query and queries a second, and a ratio to Dyno's
with the interval of the block contrasts. A line of JSON is appended to benches/history.ndjson.
Peers that aren't on PATH are named and left out; `make bench` installs them.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from dyno.runner.load import find_dynoload
from dyno.servers import Server, create_data_dir, find_home, install, start
from dyno.stats import block_contrasts, p_star, signed_rank

SERVER = "mariadb-10.1.8"
FLOOR = Path(__file__).parents[1] / "target" / "release" / "examples" / "floor"
HISTORY = Path(__file__).with_name("history.ndjson")
SYSBENCH_SCRIPT = """
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT 1") end
"""


@dataclass(frozen=True)
class Sample:
    """What one tool did in one block."""

    queries: int
    elapsed_s: float
    cpu_s: float

    @property
    def cpu_us_per_query(self) -> float:
        return 1e6 * self.cpu_s / self.queries

    @property
    def queries_per_s(self) -> float:
        return self.queries / self.elapsed_s


def timed(argv: list[str]) -> tuple[float, str]:
    """A command's CPU seconds (user and system) and its output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(argv, capture_output=True, text=True, check=True, timeout=120)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return cpu_s, done.stdout


def dynoload(server: Server, work: Path, seconds: float) -> Sample:
    plan = work / "plan.json"
    events = work / "events.ndjson"
    plan.write_text(
        json.dumps(
            {
                "schema": 1,
                "seed": 1,
                "target": {"socket": str(server.socket)},
                "phases": [{"name": "measure", "duration_s": seconds}],
                "workload": {
                    "kind": "statements",
                    "statements": [{"name": "one", "sql": "SELECT 1", "compare": "rows"}],
                },
            }
        )
    )
    cpu_s, _ = timed([str(find_dynoload()), "run", str(plan), "--events", str(events)])
    summary = json.loads(events.read_text().splitlines()[-1])
    (phase,) = summary["phases"]
    return Sample(phase["ok"], phase["elapsed_s"], cpu_s)


def sysbench(server: Server, work: Path, seconds: float) -> Sample:
    script = work / "one.lua"
    script.write_text(SYSBENCH_SCRIPT)
    cpu_s, text = timed(
        [
            "sysbench",
            str(script),
            "--db-driver=mysql",
            f"--mysql-socket={server.socket}",
            "--mysql-user=root",
            "--mysql-db=bench",
            "--db-ps-mode=disable",
            f"--time={math.ceil(seconds)}",
            "--threads=1",
            "run",
        ]
    )
    lines = {
        key.strip(): value
        for key, _, value in (line.partition(":") for line in text.splitlines())
        if value
    }
    queries = int(lines["total"].split()[0])
    return Sample(queries, float(lines["total time"].strip().rstrip("s")), cpu_s)


def floor(server: Server, work: Path, seconds: float) -> Sample:
    """A static packet and one read: what no client can go below."""
    cpu_s, text = timed([str(FLOOR), str(server.socket), str(seconds)])
    said = json.loads(text)
    return Sample(said["queries"], said["elapsed_s"], cpu_s)


TOOLS: dict[str, Callable[[Server, Path, float], Sample]] = {
    "dynoload": dynoload,
    "sysbench": sysbench,
    "floor": floor,
}


def measure(server: Server, *, blocks: int, seconds: float) -> dict[str, dict[int, Sample]]:
    names = [name for name in TOOLS if name != "sysbench" or shutil.which(name)]
    for name in TOOLS.keys() - set(names):
        print(f"{name} is not on PATH: left out", file=sys.stderr)
    found: dict[str, dict[int, Sample]] = {name: {} for name in names}
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        for block in range(blocks):
            random.Random(f"bench/{block}").shuffle(names)
            for name in names:
                found[name][block] = TOOLS[name](server, Path(folder), seconds)
            print(f"block {block + 1} of {blocks}", file=sys.stderr)
    return found


def report(found: dict[str, dict[int, Sample]], blocks: int) -> list[dict[str, object]]:
    metrics: list[dict[str, object]] = []
    for unit, direction, read in (
        ("cpu_us_per_query", -1, lambda sample: sample.cpu_us_per_query),
        ("queries_per_s", 1, lambda sample: sample.queries_per_s),
    ):
        values = {name: {b: read(s) for b, s in by.items()} for name, by in found.items()}
        for name, by_block in values.items():
            figure = median(by_block.values())
            line = f"{unit:17}  {name:9} {figure:10.1f}"
            entry: dict[str, object] = {
                "name": f"{name}_{unit}",
                "unit": unit,
                "direction": direction,
                "value": figure,
                "n": blocks,
            }
            if name != "dynoload":
                contrasts = block_contrasts(values["dynoload"], by_block).values
                rank = signed_rank(contrasts, p_star=p_star((blocks,), 0.05))
                ratio = [math.exp(x) for x in (rank.estimate, rank.low, rank.high)]
                line += "   dynoload / {}: {:.2f} ({:.2f} to {:.2f})".format(name, *ratio)
                entry["ratio"] = ratio
            print(line)
            metrics.append(entry)
    return metrics


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--blocks", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=3.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-", dir=find_home().work) as folder:
        work = Path(folder)
        work.chmod(0o755)
        installation = install(SERVER)
        create_data_dir(installation, work / "data")
        with start(installation, data_dir=work / "data", run_dir=work / "logs") as server:
            with closing(server.admin()) as connection, connection.cursor() as cursor:
                cursor.execute("CREATE DATABASE bench")
            found = measure(server, blocks=options.blocks, seconds=options.seconds)
    metrics = report(found, options.blocks)
    line = {
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "cores": os.cpu_count(),
        "server": SERVER,
        "metrics": metrics,
    }
    with HISTORY.open("a") as file:
        file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
