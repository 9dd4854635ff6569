"""How steady A/A contrasts are by placement, and what placement costs: the table of ADR 26.

    python -m benches.placement [--blocks 12] [--seconds 2] [--levels 1,2,4] [--workload NAME ...]
        [--placement free ...] [--slices 1]

Each workload runs as an experiment of two equal arms over the levels, once for each placement, with
Dyno itself. Prints for each level the standard deviation of the block contrasts (of the log ratio,
in per cent, with the n) and the median throughput, and writes all to build/placement.json.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median, stdev

from benches.dyno_run import dyno_run
from dyno.analysis.samples import gather
from dyno.spec.plan import Plan
from dyno.store.run import RunFolder

ROOT = Path(__file__).parents[1]
SERVER = "mariadb-10.11.5"
LEVELS = "1,2,4,8,16,64,256"
PLACEMENTS = {
    "free": ("free", False),
    "free, awake": ("free", True),
    "split": ("split", False),
    "split, awake": ("split", True),
}
WORKLOADS = {
    "point_select": 'kind = "oltp"\nscript = "oltp_point_select"\ntables = 1\ntable_size = 20000',
    "read_only": 'kind = "oltp"\nscript = "oltp_read_only"\ntables = 1\ntable_size = 20000',
    "read_write": 'kind = "oltp"\nscript = "oltp_read_write"\ntables = 1\ntable_size = 20000',
    "tpcc": 'kind = "tpcc"\nwarehouses = 1',
    "linkbench": 'kind = "linkbench"\nids = 20000',
}
EXPERIMENT = """
title = "placement"
question = "How far apart is a server from itself?"
[settings]
innodb_buffer_pool_size = "512M"
innodb_flush_log_at_trx_commit = 2
max_connections = 2000
[[arm]]
name = "one"
baseline = true
server = "{server}"
[[arm]]
name = "other"
server = "{server}"
[workload]
{workload}
[sweep]
connections = [{levels}]
[protocol]
blocks = {{ first = {blocks}, last = {blocks} }}
budget = "6h"
control = false
placement = "{placement}"
awake = {awake}
warmup = "1s"
duration = "{seconds}s"
slices = {slices}
"""


@dataclass(frozen=True)
class Cell:
    """What two equal arms gave at a level; `sd_pct` is of the log ratios of `n` blocks."""

    workload: str
    placement: str
    connections: int
    n: int
    sd_pct: float
    worst_pct: float
    ops_per_s: float


def main() -> None:
    """Measure, print, write."""
    chosen = _arguments()
    cells: list[Cell] = []
    for workload in chosen.workload or WORKLOADS:
        for placement in chosen.placement or PLACEMENTS:
            for cell in _measure(workload, placement, chosen):
                cells.append(cell)
                print(_line(cell), flush=True)
    build = ROOT / "build"
    build.mkdir(exist_ok=True)
    text = json.dumps([asdict(cell) for cell in cells], indent=1)
    (build / "placement.json").write_text(text)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--blocks", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--levels", default=LEVELS)
    parser.add_argument("--workload", action="append", choices=list(WORKLOADS))
    parser.add_argument("--placement", action="append", choices=list(PLACEMENTS))
    parser.add_argument("--slices", type=int, default=1, help="of --seconds each, in a block")
    return parser.parse_args()


def _measure(workload: str, placement: str, chosen: argparse.Namespace) -> Iterator[Cell]:
    where, awake = PLACEMENTS[placement]
    text = EXPERIMENT.format(
        server=SERVER,
        workload=WORKLOADS[workload],
        levels=chosen.levels,
        blocks=chosen.blocks,
        placement=where,
        awake=str(awake).lower(),
        seconds=chosen.seconds,
        slices=chosen.slices,
    )
    with dyno_run(text) as (_, run):
        opened = RunFolder.open(run)
        yield from _cells(workload, placement, opened.plan(), opened)


def _cells(workload: str, placement: str, plan: Plan, folder: RunFolder) -> Iterator[Cell]:
    samples = gather(plan, folder)
    for comparison in plan.comparisons:
        if comparison.metric != "throughput":
            continue
        logs = [float(value) for value in samples.contrasts(comparison).values]
        yield Cell(
            workload=workload,
            placement=placement,
            connections=plan.points[comparison.point].connections,
            n=len(logs),
            sd_pct=100 * stdev(logs),
            worst_pct=100 * max(map(abs, logs)),
            ops_per_s=median(samples.of(comparison.numerator).values()),
        )


def _line(cell: Cell) -> str:
    return (
        f"{cell.workload:14}{cell.placement:14}{cell.connections:5}"
        f"  sd {cell.sd_pct:6.2f} %  worst {cell.worst_pct:6.2f} %  n {cell.n:3}"
        f"  {cell.ops_per_s:10,.0f} ops/s"
    )


if __name__ == "__main__":
    main()
