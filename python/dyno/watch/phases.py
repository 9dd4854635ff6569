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

_SORT = 0.4


@dataclass(frozen=True)
class Phase:
    """Work that is done when the percentage is at `until_pct`; `weight`: time, in any one unit."""

    name: str
    until_pct: float
    weight: float


@dataclass(frozen=True)
class Build:
    """What an ALTER in place builds: so many indexes, of a new table or the old one.

    `sorts_rows`: an older server, which sorts the rows of a new table as those of an index, and
    inserts one by one. `passes`: how often a sorted file is merged, about.
    """

    rebuilds: bool
    indexes: int
    sorts_rows: bool = False
    passes: int = 4


@dataclass(frozen=True)
class Weights:
    """Time of an ALTER's phases relative to each other: `sort` of each index and pass, `insert` of
    each index.
    """

    read: float
    sort: float
    insert: float
    finish: float


INDEX = Weights(read=1.0, sort=0.045, insert=0.25, finish=0.05)
INDEX_BY_ROW = Weights(read=1.0, sort=0.10, insert=0.85, finish=0.05)
REBUILD = Weights(read=1.0, sort=0.03, insert=0.22, finish=0.10)
REBUILD_BY_ROW = Weights(read=1.0, sort=0.10, insert=1.00, finish=0.05)


def onlineddl_phases(build: Build | None) -> tuple[Phase, ...]:
    """The phases of Innodb_onlineddl_pct_progress; those of one index where it isn't known."""
    build = build or Build(rebuilds=False, indexes=1)
    weights = {
        (False, False): INDEX,
        (False, True): INDEX_BY_ROW,
        (True, False): REBUILD,
        (True, True): REBUILD_BY_ROW,
    }[build.rebuilds, build.sorts_rows]
    count = max(build.indexes, 1)
    at = 100 / (1 + count)
    phases = [Phase("read", at, weights.read)]
    # Rows that were inserted as they were read have no file to sort: their cost is never counted.
    files = count - 1 if build.rebuilds and not build.sorts_rows else count
    cost = (0.5 * files + 0.5 * count) / (1 + count) * 100
    sort, insert = weights.sort * build.passes * files, weights.insert * files
    if files == 1:
        phases.append(Phase("sort", at + cost * _SORT, sort))
        phases.append(Phase("insert", at + cost, insert))
    elif files:
        # One after the other; where each ends hangs on sizes that nobody tells.
        phases.append(Phase("sort and insert", at + cost, sort + insert))
    end = at + cost if files else at
    return (*phases, Phase("finish", end, weights.finish))


def even_phases(stages: int) -> tuple[Phase, ...]:
    """Rows or bytes out of all of them, as good as linear. Of several stages, which a server counts
    alike, the first is the copying or loading; the others often never come.
    """
    count = max(stages, 1)
    later = [Phase(f"stage {n} of {count}", 100 * n / count, 0.05) for n in range(2, count + 1)]
    return (Phase("work", 100 / count, 1.0), *later, Phase("finish", 100.0, 0.02))


def place(phases: Sequence[Phase], pct: float) -> tuple[int, float]:
    """The number of the phase that a percentage is in, and the part of it that is done."""
    begins = 0.0
    for number, phase in enumerate(phases[:-1]):
        if pct < phase.until_pct - 1e-6:
            return number, max(pct - begins, 0.0) / (phase.until_pct - begins)
        begins = phase.until_pct
    return len(phases) - 1, 0.0
