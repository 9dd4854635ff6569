"""Ways of doing I/O against one another: what a client costs at least, by threads, epoll, io_uring.

    python -m benches.strategies [--blocks 5] [--seconds 1] [--budget-s 700] [--explore]

Each block runs every candidate once at every number of connections over a Unix socket and over TCP
on loopback, in an order drawn for the block; sysbench runs beside them as a peer. The program that
is measured is `benches/floor`. Prints medians with the lowest and highest block and writes every
sample to build/strategies.json. docs/adr/0008-io-strategy.md says what came of it.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import resource
import shutil
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median

from pymysql.cursors import Cursor

from benches.stand import own_server, server_cpu_s
from dyno.servers import Server, Setting

ROOT = Path(__file__).parents[1]
FLOOR = ROOT / "target" / "release" / "floor"
SERVER = "mariadb-10.11.5"
ROWS = 100_000
CHUNK = 1000
SETTINGS: dict[str, Setting] = {
    "max_connections": 2000,
    "back_log": 2000,
    "thread_cache_size": 1000,
    "table_open_cache": 4000,
    "innodb_buffer_pool_size": "256M",
}
CONNECTIONS = (1, 16, 64, 256, 1000)
SYSBENCH_CONNECTIONS = (1, 16, 64, 256)
# "batch" is the kernel's scheduling class for what needn't run at once: a wake-up doesn't stop the
# thread that runs, so replies gather.
BATCH = "chrt --batch 0 "
CANDIDATES = {
    "threads": "floor --strategy threads",
    "threads poll": "floor --strategy threads --variant poll",
    "threads poll, batch": BATCH + "floor --strategy threads --variant poll",
    "epoll 1": "floor --strategy epoll",
    "epoll 1, batch": BATCH + "floor --strategy epoll",
    "epoll 2, batch": BATCH + "floor --strategy epoll --loops 2",
    "uring 1": "floor --strategy uring",
    "uring 1, batch": BATCH + "floor --strategy uring",
    "uring 1 wait 16": "floor --strategy uring --wait 16",
}
VARIANTS = {
    "threads read": "floor --strategy threads --variant read",
    "threads poll": "floor --strategy threads --variant poll",
    "epoll each": "floor --strategy epoll --variant each",
    "epoll each, batch": BATCH + "floor --strategy epoll --variant each",
    "epoll level": "floor --strategy epoll --variant level",
    "epoll gather": "floor --strategy epoll --variant gather",
    "epoll each 2": "floor --strategy epoll --variant each --loops 2",
    "epoll gather 2": "floor --strategy epoll --variant gather --loops 2",
    "uring multishot": "floor --strategy uring --variant multishot",
    "uring multishot, batch": BATCH + "floor --strategy uring --variant multishot",
    "uring posted": "floor --strategy uring --variant posted",
    "uring linked": "floor --strategy uring --variant linked",
    "uring coop": "floor --strategy uring --taskrun coop",
    "uring plain": "floor --strategy uring --taskrun plain",
    "uring wait 8": "floor --strategy uring --wait 8",
    "uring wait 32": "floor --strategy uring --wait 32",
    "uring wait 32 linger": "floor --strategy uring --wait 32 --linger-us 100",
    "uring multishot 2": "floor --strategy uring --loops 2",
}
EXPLORED = (("socket", 1), ("socket", 64), ("socket", 1000), ("tcp", 64))


@dataclass(frozen=True)
class Cell:
    """What is measured in one go; the order within a block is drawn."""

    candidate: str
    command: str
    transport: str
    connections: int


@dataclass(frozen=True)
class Sample:
    """What one candidate did in one cell in one block."""

    candidate: str
    transport: str
    connections: int
    block: int
    ops_per_s: float
    client_cpu_us_per_op: float
    server_cpu_us_per_op: float
    latency_us_p50: float
    latency_us_p99: float
    switches_per_op: float | None


def cells(*, explore: bool) -> list[Cell]:
    candidates = VARIANTS if explore else CANDIDATES
    places = EXPLORED if explore else [(t, n) for t in ("socket", "tcp") for n in CONNECTIONS]
    found = [
        Cell(name, command, transport, connections)
        for name, command in candidates.items()
        for transport, connections in places
        # One connection has one loop, whatever was asked for.
        if not (connections == 1 and "--loops 2" in command)
    ]
    if not explore and shutil.which("sysbench"):
        found += [Cell("sysbench", "", "socket", n) for n in SYSBENCH_CONNECTIONS]
    return found


def floor(program: Path, server: Server, cell: Cell, block: int, seconds: float) -> Sample:
    where = ["--socket", str(server.socket)]
    if cell.transport == "tcp":
        where = ["--host", "127.0.0.1", "--port", str(server.port)]
    argv = [str(program) if word == "floor" else word for word in cell.command.split()]
    argv += [*where, "--database", "bench", "--rows", str(ROWS)]
    argv += ["--connections", str(cell.connections), "--seconds", str(seconds)]
    argv += ["--server-pid", str(server.pid)]
    before = executions(server)
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise SystemExit(f"{cell}: {done.stderr}")
    said = json.loads(done.stdout)
    ops = said["ops"]
    served = executions(server) - before
    if served != ops + 2 * cell.connections:  # Two before the window show a reply's length.
        raise SystemExit(f"{cell}: {ops} ops counted, but the server saw {served} executions")
    switches = said["switches_voluntary"] + said["switches_involuntary"]
    return Sample(
        candidate=cell.candidate,
        transport=cell.transport,
        connections=cell.connections,
        block=block,
        ops_per_s=ops / said["elapsed_s"],
        client_cpu_us_per_op=1e6 * (said["cpu_user_s"] + said["cpu_system_s"]) / ops,
        server_cpu_us_per_op=1e6 * said["server_cpu_s"] / ops,
        latency_us_p50=said["latency_us_p50"],
        latency_us_p99=said["latency_us_p99"],
        switches_per_op=switches / ops,
    )


def executions(server: Server) -> int:
    """Prepared statements that the server has executed so far, read when nobody else is there.

    The server moves a connection's counts to its sum while it closes it, and a reading at that
    moment can miss them.
    """
    with closing(server.admin()) as connection, connection.cursor() as cursor:
        while status(cursor, "Threads_connected") > 1:
            time.sleep(0.01)
        return status(cursor, "Com_stmt_execute")


def status(cursor: Cursor, name: str) -> int:
    cursor.execute(f"SHOW GLOBAL STATUS LIKE '{name}'")
    ((_, value),) = cursor.fetchall()
    return int(value)


@dataclass(frozen=True)
class Cost:
    """CPU seconds of a command and of the server while it ran, and the command's output."""

    client_s: float
    server_s: float
    text: str


def timed(argv: list[str], server: Server) -> Cost:
    before, server_before = resource.getrusage(resource.RUSAGE_CHILDREN), server_cpu_s(server)
    done = subprocess.run(argv, capture_output=True, text=True, check=True, timeout=120)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    client_s = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return Cost(client_s, server_cpu_s(server) - server_before, done.stdout)


def sysbench(server: Server, cell: Cell, block: int, seconds: float) -> Sample:
    """Its start (Lua states, connections) is measured by a run of one event and taken off."""
    argv = ["sysbench", "oltp_point_select", "--db-driver=mysql", "--db-ps-mode=auto"]
    argv += [f"--mysql-socket={server.socket}", "--mysql-user=root", "--mysql-db=bench"]
    argv += [f"--threads={cell.connections}", "--tables=1", f"--table-size={ROWS}"]
    argv += ["--rand-type=uniform", "--percentile=99", "--histogram=on"]
    begin = timed([*argv, "--events=1", "run"], server)
    whole = timed([*argv, f"--time={math.ceil(seconds)}", "run"], server)
    parts = (line.partition(":") for line in whole.text.splitlines())
    lines = {key.strip(): value.strip() for key, _, value in parts if value}
    ops = int(lines["total number of events"])
    return Sample(
        candidate=cell.candidate,
        transport=cell.transport,
        connections=cell.connections,
        block=block,
        ops_per_s=ops / float(lines["total time"].rstrip("s")),
        client_cpu_us_per_op=1e6 * (whole.client_s - begin.client_s) / ops,
        server_cpu_us_per_op=1e6 * (whole.server_s - begin.server_s) / ops,
        latency_us_p50=middle_us(whole.text),
        latency_us_p99=1000 * float(lines["99th percentile"]),
        switches_per_op=None,
    )


def middle_us(text: str) -> float:
    """The median of sysbench's histogram: lines of milliseconds, bar and count."""
    rows = [line.replace("|", " ").split() for line in text.splitlines() if "|" in line]
    counts = [(float(row[0]), int(row[-1])) for row in rows]
    half, seen = sum(count for _, count in counts) / 2, 0
    for value_ms, count in counts:
        seen += count
        if seen >= half:
            return 1000 * value_ms
    raise ValueError("sysbench printed no histogram")


def fill(server: Server) -> None:
    """Make sysbench's table, but with every row of the same length."""
    with closing(server.admin()) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE bench")
        cursor.execute(
            "CREATE TABLE bench.sbtest1 (id INT NOT NULL PRIMARY KEY, k INT NOT NULL, "
            "c CHAR(120) NOT NULL, pad CHAR(60) NOT NULL, KEY (k)) ENGINE=InnoDB"
        )
        for first in range(1, ROWS + 1, CHUNK):
            rows = [
                f"({i}, {1 + i * 7919 % ROWS}, REPEAT('c', 119), REPEAT('p', 59))"
                for i in range(first, first + CHUNK)
            ]
            cursor.execute(f"INSERT INTO bench.sbtest1 VALUES {','.join(rows)}")


def measure(server: Server, options: argparse.Namespace) -> list[Sample]:
    """Whole blocks only: one that wouldn't fit into the budget isn't begun."""
    samples: list[Sample] = []
    plan = cells(explore=options.explore)
    begun = time.monotonic()
    for block in range(options.blocks):
        block_begun = time.monotonic()
        for cell in random.Random(f"strategies/{block}").sample(plan, len(plan)):
            if cell.candidate == "sysbench":
                samples.append(sysbench(server, cell, block, options.seconds))
            else:
                samples.append(floor(options.floor, server, cell, block, options.seconds))
        now = time.monotonic()
        print(f"block {block + 1}: {now - block_begun:.0f} s", file=sys.stderr)
        if now - begun + (now - block_begun) > options.budget_s:
            break
    return samples


def summary(samples: list[Sample]) -> Sample:
    """Medians over blocks, as a sample of its own."""
    switches = [s.switches_per_op for s in samples if s.switches_per_op is not None]
    return replace(
        samples[0],
        ops_per_s=median(s.ops_per_s for s in samples),
        client_cpu_us_per_op=median(s.client_cpu_us_per_op for s in samples),
        server_cpu_us_per_op=median(s.server_cpu_us_per_op for s in samples),
        latency_us_p50=median(s.latency_us_p50 for s in samples),
        latency_us_p99=median(s.latency_us_p99 for s in samples),
        switches_per_op=median(switches) if switches else None,
    )


def report(samples: list[Sample]) -> None:
    groups: dict[tuple[str, int], dict[str, list[Sample]]] = {}
    for sample in samples:
        group = groups.setdefault((sample.transport, sample.connections), {})
        group.setdefault(sample.candidate, []).append(sample)
    for (transport, connections), candidates in sorted(groups.items()):
        print(f"\n{transport}, {connections} connections")
        print(f"{'':24}client us/op (low-high)   ops/s (low-high)       p50 us  p99 us", end="")
        print("  server us/op  switches/op")
        for name in sorted(candidates):
            found = candidates[name]
            s = summary(found)
            cpu = [x.client_cpu_us_per_op for x in found]
            ops = [x.ops_per_s for x in found]
            switches = "" if s.switches_per_op is None else f"{s.switches_per_op:.2f}"
            print(
                f"{name:24}{s.client_cpu_us_per_op:6.2f} ({min(cpu):6.2f}-{max(cpu):6.2f})   "
                f"{s.ops_per_s:7.0f} ({min(ops):6.0f}-{max(ops):6.0f})  "
                f"{s.latency_us_p50:8.0f}{s.latency_us_p99:8.0f}  "
                f"{s.server_cpu_us_per_op:12.2f}  {switches:>11}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--blocks", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--budget-s", type=float, default=700.0)
    parser.add_argument("--explore", action="store_true", help="all variants, in fewer places")
    parser.add_argument("--floor", type=Path, default=FLOOR)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "strategies.json")
    options = parser.parse_args()
    with own_server(SERVER, SETTINGS) as (server, _):
        fill(server)
        samples = measure(server, options)
    options.out.parent.mkdir(exist_ok=True)
    options.out.write_text(json.dumps([asdict(sample) for sample in samples], indent=1) + "\n")
    report(samples)


if __name__ == "__main__":
    main()
