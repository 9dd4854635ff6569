"""From samples to results: the ratio of a row with its interval, held against the row's bar."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from benches.measure import Samples
from benches.rows.row import DYNO, Row
from dyno.stats import block_contrasts, p_star, signed_rank, spread

ALPHA = 0.05


@dataclass(frozen=True)
class Result:
    """A row and what came of it.

    `ratio` is Dyno's figure to the peer's (the figure itself where there is no peer); its interval
    is unbounded for too few blocks: fewer than 6, or 8 where there are several looks. `spread` is
    the standard deviation of one block's ratio as a factor. `dyno` and `versus` are medians over
    blocks.
    """

    row: Row
    dyno: float
    versus: float | None
    ratio: float
    low: float
    high: float
    spread: float
    n: int

    @property
    def holds(self) -> bool | None:
        """Whether the estimate meets the bar; None without one."""
        return None if self.row.bar is None else self.row.bar.holds(self.ratio)

    @property
    def clear(self) -> bool:
        """Whether the whole interval says the same as the estimate."""
        bar = self.row.bar
        return bar is None or bar.holds(self.low) == bar.holds(self.high) == self.holds


def judge(row: Row, samples: Samples, *, looks: Sequence[int] = ()) -> Result | None:
    """The result of a row; None where no block has what it needs.

    `looks`: the numbers of blocks at which it may be judged, as in a run of Dyno's: the interval
    holds at whichever of them it is read. Empty: once, at whatever there is.
    """
    dyno = _figures(row, DYNO, samples)
    if row.peer is None and row.by == "worst":
        return _worst(row, dyno)
    peer = None if row.peer is None else _figures(row, row.peer, samples)
    return _centre(row, dyno, peer, looks if row.cell.blocks_most is None else ())


def undecided(rows: Iterable[Row], samples: Samples, looks: Sequence[int]) -> list[Row]:
    """The rows whose bar lies inside the interval."""
    could_run_on = (row for row in rows if row.by != "worst" and row.cell.blocks_most is None)
    judged = [judge(row, samples, looks=looks) for row in could_run_on]
    return [result.row for result in judged if result is not None and not result.clear]


def _figures(row: Row, tool: str, samples: Samples) -> dict[int, float]:
    found = {
        block: row.figure.read(sample)
        for block, sample in samples.get((row.cell.name, tool), {}).items()
    }
    return {block: value for block, value in found.items() if value is not None}


def _centre(
    row: Row, dyno: dict[int, float], peer: dict[int, float] | None, looks: Sequence[int]
) -> Result | None:
    """By logarithms, with the peer or 1 as the base."""
    contrasts = block_contrasts(dyno, peer if peer is not None else dict.fromkeys(dyno, 1.0))
    n = len(contrasts.blocks)
    if n == 0:
        return None
    rank = signed_rank(contrasts.values, p_star=p_star(looks or (n,), ALPHA))
    low, high = rank.estimate.bounds
    return Result(
        row=row,
        dyno=median(dyno[block] for block in contrasts.blocks),
        versus=None if peer is None else median(peer[block] for block in contrasts.blocks),
        ratio=math.exp(rank.estimate.value),
        low=math.exp(low),
        high=math.exp(high),
        spread=float(np.exp(spread(contrasts.values))),
        n=n,
    )


def _worst(row: Row, dyno: dict[int, float]) -> Result | None:
    if not dyno:
        return None
    low, high = min(dyno.values()), max(dyno.values())
    return Result(row, median(dyno.values()), None, high, low, high, math.nan, len(dyno))
