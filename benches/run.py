"""Dyno's own speed against its peers and the floor, interleaved in one run on one server.

    python -m benches.run [--only NAME] [--blocks 8] [--most 40] [--seconds 2]
                          [--server mariadb-10.11.5]

In each block every tool runs once, in an order drawn for the block, on the same server with the
same data; a row is Dyno's figure over the peer's in the same block, and its bar is held against the
estimate over all blocks. Rows whose interval reaches over the bar run on, each time with half as
many blocks again, up to `--most`. The table
goes to standard output, the same as JSON to build/bench.json with every sample in
build/bench-samples.json, and a line with all of it to benches/history.ndjson unless there are too
few blocks for an interval. A row whose peer isn't on this host is shown as unavailable, with the
reason. Exit status: 0 all bars hold, 1 one doesn't, 2 nothing can be said.
`make bench` installs the peers first, as far as packages have them.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

from benches.judge import Result, judge, undecided
from benches.measure import Samples, measure
from benches.rows import ROWS, chosen
from benches.rows.row import Row
from benches.stand import Stand, own_server
from benches.table import entry, history_entry, table
from dyno.errors import DynoError, LoadError
from dyno.looks import schedule
from dyno.servers import Setting

ROOT = Path(__file__).parents[1]
HISTORY = Path(__file__).with_name("history.ndjson")
BLOCKS_FEWEST = 6
BLOCKS_FOR_LOOKS = 8
SERVER = "mariadb-10.11.5"
SETTINGS: dict[str, Setting] = {
    "max_connections": 1200,
    "max_prepared_stmt_count": 200_000,
    "performance_schema": False,
    "innodb_buffer_pool_size": "1G",
    "innodb_flush_log_at_trx_commit": 2,
    # A thousand clients come at once, and each opens all tables.
    "back_log": 1200,
    "thread_cache_size": 1200,
    "table_open_cache": 8000,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", metavar="NAME", help="rows of this name, or of a pattern")
    parser.add_argument("--blocks", type=int, default=8)
    parser.add_argument("--most", type=int, default=40, help="blocks of rows that 8 can't decide")
    parser.add_argument("--seconds", type=int, default=2, help="the window of a run")
    parser.add_argument("--server", metavar="NAME", default=SERVER, help=f"if not {SERVER}")
    parser.add_argument("--floor", type=Path, default=ROOT / "target" / "release" / "floor")
    options = parser.parse_args()
    if options.blocks < 1 or options.seconds < 1:
        parser.error("--blocks and --seconds are at least 1")
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # So that the server is stopped.
    samples, status = Samples(), 0
    try:
        rows = available(chosen(ROWS, options.only))
        on_server(rows, options, samples)
    except DynoError as error:
        hint = f"\nhint: {error.hint}" if error.hint else ""
        print(f"{error.message}{hint}", file=sys.stderr)
        status = 2
    except KeyboardInterrupt:
        status = 130
    if not samples:
        return status
    # What was measured before a failure or Ctrl-C is shown, too, but doesn't enter the history.
    judged = {row.name: judge(row, samples, looks=looks(options)) for row in rows}
    results = [result for result in judged.values() if result is not None]
    most = max(looks(options) or [options.blocks])
    size = f"{most} blocks at most, {options.seconds} s a run"
    print(f"{options.server}, {os.cpu_count()} cores, {size}")
    print(table(results))
    keep(results, samples)
    if status:
        return status
    if missing := [name for name, result in judged.items() if result is None]:
        print(f"no block has the figures of {', '.join(missing)}", file=sys.stderr)
        return 2
    if options.blocks >= BLOCKS_FEWEST:
        remember(results, options)
    return 1 if any(result.holds is False for result in results) else 0


def available(rows: Sequence[Row]) -> list[Row]:
    """The rows that can be measured here; reports the others. Raises LoadError if none is left."""
    lacks = {row: row.lacks for row in rows}
    for row, reason in lacks.items():
        if reason is not None:
            print(f"{row.name}: unavailable: {reason}", flush=True)
    found = [row for row in rows if lacks[row] is None]
    if not found:
        raise LoadError("none of these rows can be measured here")
    return found


def on_server(rows: Sequence[Row], options: argparse.Namespace, samples: Samples) -> None:
    """Start the server, run everything, stop it."""
    tools = {tool for row in rows for tool in row.tools}
    programs = {"sysbench": ("sysbench", "make bench installs it")}
    programs["floor"] = (options.floor, "make bench")
    for program, hint in (programs[tool] for tool in programs if tool in tools):
        if shutil.which(program) is None:
            raise LoadError(f"there is no program {program}", hint=hint)
    with own_server(options.server, SETTINGS) as (server, folder):
        stand = Stand(server, folder, options.seconds, options.floor)
        measure(rows, stand, samples, blocks=range(options.blocks))
        rest = list(rows)
        for done, last in pairwise(looks(options)):
            if not (rest := undecided(rest, samples, looks(options))):
                break
            print(f"{len(rest)} rows need more blocks", file=sys.stderr, flush=True)
            measure(rest, stand, samples, blocks=range(done, last))


def looks(options: argparse.Namespace) -> tuple[int, ...]:
    """At how many blocks a row may be judged; empty where the first look has no interval."""
    if not BLOCKS_FOR_LOOKS <= options.blocks < options.most:
        return ()
    return schedule(first=options.blocks, last=options.most)


def keep(results: Sequence[Result], samples: Samples) -> None:
    """Write what programs read."""
    build = ROOT / "build"
    build.mkdir(exist_ok=True)
    (build / "bench.json").write_text(json.dumps([entry(r) for r in results], indent=1) + "\n")
    raw = [
        {"cell": cell, "tool": tool, "block": block, **asdict(sample)}
        for (cell, tool), blocks in samples.items()
        for block, sample in blocks.items()
    ]
    (build / "bench-samples.json").write_text(json.dumps(raw, indent=1) + "\n")


def remember(results: Sequence[Result], options: argparse.Namespace) -> None:
    """Append a line to the history."""
    line: dict[str, Any] = {
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "cores": os.cpu_count(),
        "server": options.server,
        "seconds": options.seconds,
        "rows": [history_entry(result) for result in results],
    }
    with HISTORY.open("a") as file:
        file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    sys.exit(main())
