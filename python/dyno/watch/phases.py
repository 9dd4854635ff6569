"""What a server's percentage is made of: the phases of its work, and the time each takes.

MariaDB's percentage of an ALTER in place counts costs that are constants of its source: 1 for
reading the clustered index, and for each of n indexes 0.5 plus a part of 0.5 n by its size, of
which 40 % are for sorting and 60 % for inserting. What follows 100 % (the changes made meanwhile
are applied, pages flushed, the table exchanged) isn't counted at all. Time passes differently: the
weights here are shares of time, fitted to recordings of two servers and one shape of table
(tests/unit/watch/recordings), and only a starting point: dyno.watch.eta learns from the job itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

_SORT = 0.4


@dataclass(frozen=True)
class Phase:
    """Work that is done once the percentage is at `until_pct`; `weight`: time, in any one unit."""

    name: str
    until_pct: float
    weight: float


@dataclass(frozen=True)
class Build:
    """What an ALTER in place builds: how many indexes, of a new table or the old one.

    `sorts_rows`: an older server, which sorts the rows of a new table like those of an index, and
    inserts one by one. `passes`: about how often a sorted file is merged.
    """

    rebuilds: bool
    indexes: int
    sorts_rows: bool = False
    passes: int = 4


@dataclass(frozen=True)
class Weights:
    """Time of an ALTER's phases relative to each other: reading, and more for each further index
    that it makes files for; `sort` for each index and pass, `insert` for each index.
    """

    read: float
    read_more: float
    sort: float
    insert: float
    finish: float


INDEX = Weights(read=1.0, read_more=0.3, sort=0.045, insert=0.25, finish=0.05)
INDEX_BY_ROW = Weights(read=1.0, read_more=0.5, sort=0.08, insert=1.2, finish=0.05)
REBUILD = Weights(read=1.0, read_more=0.0, sort=0.02, insert=0.15, finish=0.10)
# Indexes of a table whose rows are sorted, too; these have weights of their own.
REBUILD_BY_ROW = Weights(read=1.0, read_more=0.0, sort=0.02, insert=0.5, finish=0.3)
ROWS_SORT, ROWS_INSERT = 0.09, 1.5
# Of what is sorted for a new table, about this part is the rows themselves.
ROWS_PART = 0.9


def onlineddl_phases(build: Build | None) -> tuple[Phase, ...]:
    """The phases of Innodb_onlineddl_pct_progress; those of one index if it is unknown."""
    build = build or Build(rebuilds=False, indexes=1)
    weights = {
        (False, False): INDEX,
        (False, True): INDEX_BY_ROW,
        (True, False): REBUILD,
        (True, True): REBUILD_BY_ROW,
    }[build.rebuilds, build.sorts_rows]
    count = max(build.indexes, 1)
    phases = [Phase("read", 100 / (1 + count), weights.read + weights.read_more * (count - 1))]
    rest, files = 1.0, count
    if build.rebuilds and build.sorts_rows:
        part = ROWS_PART if count > 1 else 1.0
        phases += _sorted(phases[-1].until_pct, 0.5, part, count, "rows")
        phases[-2:] = [
            replace(phases[-2], weight=ROWS_SORT * build.passes),
            replace(phases[-1], weight=ROWS_INSERT),
        ]
        rest, files = 1.0 - part, count - 1
    elif build.rebuilds:
        # Rows that were inserted as they were read have no file to sort: it is never counted.
        files = count - 1
    if files:
        found = _sorted(phases[-1].until_pct, 0.5 * files, rest, count, "")
        sort, insert = weights.sort * build.passes * files, weights.insert * files
        if files == 1:
            phases += [replace(found[0], weight=sort), replace(found[1], weight=insert)]
        else:
            # One after the other; where each ends depends on sizes that nothing reports.
            both = Phase("sort and insert", found[1].until_pct, sort + insert)
            phases.append(both)
    return (*phases, Phase("finish", phases[-1].until_pct, weights.finish))


def _sorted(at: float, fixed: float, part: float, count: int, what: str) -> list[Phase]:
    """Sorting and inserting that begin at a percentage, by their costs; still without weights."""
    cost = (fixed + 0.5 * count * part) / (1 + count) * 100
    of = f" {what}" if what else ""
    return [Phase(f"sort{of}", at + cost * _SORT, 0.0), Phase(f"insert{of}", at + cost, 0.0)]


def stage_phases(build: Build | None) -> tuple[Phase, ...]:
    """The phases of stage events, whose work is in pages of the table: each page counts once as it
    is read, and for each index with files again as it is sorted, merged and inserted.
    """
    build = build or Build(rebuilds=False, indexes=1)
    weights = REBUILD if build.rebuilds else INDEX
    files = max(build.indexes - build.rebuilds, 1)
    counted = 1 + 3 * files
    read = weights.read + weights.read_more * (files - 1)
    sort, insert = weights.sort * build.passes * files, weights.insert * files
    phases = [Phase("read", 100 * (1 + files) / counted, read)]
    if files == 1:
        phases += [
            Phase("sort", 100 * (1 + 2 * files) / counted, sort),
            Phase("insert", 100, insert),
        ]
    else:
        phases.append(Phase("sort and insert", 100, sort + insert))
    return (*phases, Phase("finish", 100, weights.finish))


def even_phases(stages: int) -> tuple[Phase, ...]:
    """Rows or bytes out of all of them, approximately linear. If there are several stages, which a
    server weights equally, the first is the copying or loading; the others often never come.
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
