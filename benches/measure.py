"""Runs cells, interleaved in blocks, and tells how far it is. Compares nothing."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import mean
from typing import TextIO, TypeAlias

from benches.rows.row import Cell, Row
from benches.stand import Sample, Stand

Samples: TypeAlias = dict[tuple[str, str], dict[int, Sample]]
"""By cell and tool: the sample of each block."""

OVERHEAD_S = 1.0
"""What a run is thought to take beside its window, until one was seen."""


@dataclass(frozen=True)
class Turn:
    """One run that is to be made."""

    block: int
    cell: Cell
    tool: str


def turns(rows: Sequence[Row], blocks: range) -> list[Turn]:
    """Each cell once a block, in an order drawn for the block; so are the tools in a cell.

    Tools of a cell follow one another, so that what a neighbour on the host does hits them alike.
    Only what the rows need is run, whatever the number of rows that share it.
    """
    cells: dict[Cell, set[str]] = {}
    for row in rows:
        cells.setdefault(row.cell, set()).update(row.tools)
    found: list[Turn] = []
    for block in blocks:
        draw = random.Random(f"bench/{block}")
        for cell in draw.sample(list(cells), len(cells)):
            if cell.blocks_most is None or block < cell.blocks_most:
                names = sorted(cells[cell])
                found += [Turn(block, cell, name) for name in draw.sample(names, len(names))]
    return found


@dataclass
class Pace:
    """How long the runs of a cell took, and so how long the rest will take."""

    seconds: int
    took_s: dict[str, list[float]] = field(default_factory=dict)

    def add(self, turn: Turn, elapsed_s: float) -> None:
        self.took_s.setdefault(turn.cell.name, []).append(elapsed_s)

    def left_s(self, rest: Sequence[Turn]) -> float:
        return sum(self._expected_s(turn) for turn in rest)

    def _expected_s(self, turn: Turn) -> float:
        seen = self.took_s.get(turn.cell.name)
        return mean(seen) if seen else self.seconds + OVERHEAD_S


def measure(
    rows: Sequence[Row],
    stand: Stand,
    samples: Samples,
    *,
    blocks: range,
    progress: TextIO = sys.stderr,
) -> None:
    """Make all runs; `samples` grows by each. Data are filled before block 0.

    Raises LoadError at the first that fails.
    """
    plan = turns(rows, blocks)
    if not blocks.start:
        for fill in dict.fromkeys(turn.cell.fill for turn in plan if turn.cell.fill):
            fill(stand)
    pace = Pace(stand.seconds)
    for number, turn in enumerate(plan, 1):
        begun = time.monotonic()
        stand.settle()
        sample = turn.cell.tools[turn.tool](stand)
        samples.setdefault((turn.cell.name, turn.tool), {})[turn.block] = sample
        pace.add(turn, time.monotonic() - begun)
        left_s = round(pace.left_s(plan[number:]))
        print(
            f"block {turn.block + 1} of {blocks.stop}, run {number} of {len(plan)}: "
            f"{turn.cell.name}, {turn.tool}: {sample}; "
            f"about {left_s // 60} min {left_s % 60:02} s left",
            file=progress,
            flush=True,
        )
