"""What a server's percentage is made of: the phases of its work, and the time each takes.

MariaDB's percentage of an ALTER in place counts costs that are constants of its source: 1 for
reading the clustered index, and for each of n indexes 0.5 plus a part of 0.5 n by its size, of
which 40 % are for sorting and 60 % for inserting. What follows 100 % (the changes made meanwhile
are applied, pages flushed, the table exchanged) isn't counted at all. Time goes by otherwise: the
weights here are shares of time, measured on real servers (tests/unit/watch/recordings), and only
where the reckoning begins: dyno.watch.eta learns from the job itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_SORT, _INSERT = 0.4, 0.6


@dataclass(frozen=True)
class Phase:
    """Work that is done when the percentage is at `until_pct`; `weight`: time, in any one unit."""

    name: str
    until_pct: float
    weight: float


@dataclass(frozen=True)
class Build:
    """What an ALTER in place builds: so many indexes, of a new table or the old one.

    `sorts_rows`: the rows of the new table are sorted as an index is, and not inserted as read.
    """

    rebuilds: bool
    indexes: int
    sorts_rows: bool = False


@dataclass(frozen=True)
class Weights:
    """Time of an ALTER's phases, relative to each other; those but `read` are of each index."""

    read: float
    sort: float
    insert: float
    finish: float


INDEX = Weights(read=1.0, sort=0.45, insert=0.45, finish=0.1)
REBUILD = Weights(read=1.0, sort=0.2, insert=0.2, finish=0.1)
REBUILD_SORTED = Weights(read=1.0, sort=0.5, insert=0.7, finish=0.1)


def onlineddl_phases(build: Build | None) -> tuple[Phase, ...]:
    """The phases of Innodb_onlineddl_pct_progress; those of one index where it isn't known."""
    build = build or Build(rebuilds=False, indexes=1)
    count = max(build.indexes, 1)
    weights = INDEX
    if build.rebuilds:
        weights = REBUILD_SORTED if build.sorts_rows else REBUILD
    at = 100 / (1 + count)
    phases = [Phase("read", at, weights.read)]
    # Rows that were inserted as they were read have no file to sort: their cost is never counted.
    sorted_ones = count - 1 if build.rebuilds and not build.sorts_rows else count
    for number in range(sorted_ones):
        cost = (0.5 + 0.5 * count / sorted_ones) / (1 + count) * 100
        of = f" {number + 1} of {sorted_ones}" if sorted_ones > 1 else ""
        phases += [
            Phase(f"sort{of}", at + cost * _SORT, weights.sort),
            Phase(f"insert{of}", at + cost * (_SORT + _INSERT), weights.insert),
        ]
        at += cost
    return (*phases, Phase("finish", at, weights.finish))


# Rows or bytes out of all of them: as good as linear.
EVEN = (Phase("work", 100.0, 1.0), Phase("finish", 100.0, 0.02))


def place(phases: Sequence[Phase], pct: float) -> tuple[int, float]:
    """The number of the phase that a percentage is in, and the part of it that is done."""
    begins = 0.0
    for number, phase in enumerate(phases[:-1]):
        if pct < phase.until_pct - 1e-6:
            return number, max(pct - begins, 0.0) / (phase.until_pct - begins)
        begins = phase.until_pct
    return len(phases) - 1, 0.0
