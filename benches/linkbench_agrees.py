"""Whether Dyno's LinkBench and LinkBench itself do the same: side by side, with sampling errors.

    DYNO_LINKBENCH=/path/to/linkbench python -m benches.linkbench_agrees \\
    [--ids 100000] [--requests 200000] [--rounds 6] [--server mariadb-debian]

In each round each of them, in an order drawn for the round, makes and fills its tables, and asks so
many requests of them; tables are counted before and after. Times are of no account. What is loaded
must be equal to the row. Shares of ops are compared by all rounds together; all that depends on
which ids were drawn is compared by the means of rounds, whose spread is its sampling error. They
differ where chance would do so in less than one of a hundred such tables. Exit status: 0 they
agree, 1 they don't, 2 nothing can be said.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, variance

from scipy.special import ndtr, stdtr

from benches.rows.linkbench import LOADERS, REQUESTERS, SCHEMA, workload
from benches.run import SETTINGS
from benches.stand import Stand, own_server
from benches.tools import dynoload, linkbench_java
from dyno.errors import DynoError, LoadError

ALPHA = 0.01
# Even where rounds are alike to the last digit, what was printed is rounded.
ROUNDED = 1e-6
LOADED = ("links", "count rows", "sum of counts", "greatest count", "nodes")
COUNTING = {
    "links": "SELECT COUNT(*) FROM linktable",
    "hidden links": "SELECT COUNT(*) FROM linktable WHERE visibility = 0",
    "count rows": "SELECT COUNT(*) FROM counttable",
    "sum of counts": "SELECT SUM(count) FROM counttable",
    "greatest count": "SELECT MAX(count) FROM counttable",
    "nodes": "SELECT COUNT(*) FROM nodetable",
    "bytes a link": "SELECT AVG(LENGTH(data)) FROM linktable",
    "bytes a node": "SELECT AVG(LENGTH(data)) FROM nodetable",
}


@dataclass(frozen=True)
class Round:
    """One load and its requests: tables before and after, requests by op, rows of lists."""

    loaded: Mapping[str, float]
    after: Mapping[str, float]
    ops: Mapping[str, int]
    list_rows: float
    history_lists: int


@dataclass(frozen=True)
class Finding:
    """A figure of both; `error` is the sampling error of their difference, None if none is due."""

    name: str
    dyno: float
    theirs: float
    error: float | None = None
    p: float = 1.0

    def agrees(self, among: int) -> bool:
        """Whether it is what chance does, as one of so many findings."""
        if self.error is None:
            return self.dyno == self.theirs
        return self.p >= ALPHA / among


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ids", type=int, default=100_000)
    parser.add_argument("--requests", type=int, default=200_000, help="in all, in a round")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--server", metavar="NAME", default="mariadb-debian")
    options = parser.parse_args()
    if options.rounds < 2 or options.requests < REQUESTERS or options.ids < 2:
        parser.error(f"--rounds and --ids are at least 2, --requests at least {REQUESTERS}")
    try:
        if reason := linkbench_java.lacks():
            raise LoadError(f"LinkBench can't be run here: {reason}")
        found = compare(*rounds_of(options))
    except DynoError as error:
        hint = f"\nhint: {error.hint}" if error.hint else ""
        print(f"{error.message}{hint}", file=sys.stderr)
        return 2
    size = f"{options.ids:,} ids, {options.rounds} rounds of {options.requests:,} requests"
    print(f"{options.server}, {size}\n{table(found)}")
    return 0 if all(one.agrees(len(found)) for one in found) else 1


def rounds_of(options: argparse.Namespace) -> tuple[list[Round], list[Round]]:
    """All rounds of Dyno and of LinkBench."""
    found: dict[str, list[Round]] = {"dyno": [], "theirs": []}
    each = options.requests // REQUESTERS
    with own_server(options.server, SETTINGS) as (server, folder):
        stand = Stand(server, folder, 1, Path())
        for number in range(options.rounds):
            for who in random.Random(f"agrees/{number}").sample(sorted(found), 2):
                stand.make_schema(SCHEMA)
                one = dyno_round if who == "dyno" else their_round
                found[who].append(one(stand, options.ids, each, number))
            print(f"round {number + 1} of {options.rounds}", file=sys.stderr, flush=True)
    return found["dyno"], found["theirs"]


def dyno_round(stand: Stand, ids: int, each: int, number: int) -> Round:
    """One round of Dyno; its seed is the round's, or its load would have no spread."""
    dynoload.fill(stand, workload(ids), SCHEMA, seed=number + 1)
    loaded = counted(stand)
    phase = dynoload.summary_of(
        stand,
        workload(ids),
        connections=REQUESTERS,
        ops=each * REQUESTERS,
        seed=number + 1,
        schema=SCHEMA,
    )
    ops = {op["op"]: op["count"] for op in phase["ops"] if op["outcome"] == "ok"}
    if sum(ops.values()) != each * REQUESTERS:
        raise LoadError(f"not every op was ok: {phase['failed']}, {phase['unfinished']} unfinished")
    said = phase["counters"]
    return Round(loaded, counted(stand), ops, said["list_rows"], said["history_lists"])


def their_round(stand: Stand, ids: int, each: int, number: int) -> Round:
    """One round of LinkBench, which draws its seed itself."""
    linkbench_java.fill(stand, ids=ids, loaders=LOADERS, schema=SCHEMA)
    loaded = counted(stand)
    done = linkbench_java.requests(stand, ids=ids, requesters=REQUESTERS, each=each, schema=SCHEMA)
    return Round(loaded, counted(stand), done.ops, done.list_rows, done.history_lists)


def counted(stand: Stand) -> dict[str, float]:
    """What the tables hold."""
    found: dict[str, float] = {}
    with closing(stand.server.admin()) as connection, connection.cursor() as cursor:
        cursor.execute(f"USE {SCHEMA}")
        for name, statement in COUNTING.items():
            cursor.execute(statement)
            (row,) = cursor.fetchall()
            found[name] = float(row[0])
    return found


def compare(dyno: Sequence[Round], theirs: Sequence[Round]) -> list[Finding]:
    """All findings: what was loaded, the mix of ops, what the ops met and left."""
    found = [exact(name, dyno, theirs) for name in LOADED]
    for name in ("bytes a link", "bytes a node"):
        pair = [[one.loaded[name] for one in rounds] for rounds in (dyno, theirs)]
        found.append(of_means(f"loaded: {name}", *pair))
    for op in sorted({op for one in (*dyno, *theirs) for op in one.ops}):
        found.append(of_shares(op, dyno, theirs))
    lists = [[one.list_rows / one.ops["get_links_list"] for one in r] for r in (dyno, theirs)]
    found.append(of_means("RANGE_SIZE, rows a list", *lists))
    history = [[float(one.history_lists) for one in rounds] for rounds in (dyno, theirs)]
    found.append(of_means("lists read on", *history))
    for name in COUNTING:
        pair = [[one.after[name] for one in rounds] for rounds in (dyno, theirs)]
        found.append(of_means(f"after: {name}", *pair))
    return found


def exact(name: str, dyno: Sequence[Round], theirs: Sequence[Round]) -> Finding:
    """What chance has no part in; a round that is unlike the first one is what is shown."""
    ours, other = ([one.loaded[name] for one in rounds] for rounds in (dyno, theirs))
    unlike = next((value for value in ours if value != other[0]), ours[0])
    theirs_unlike = next((value for value in other if value != ours[0]), other[0])
    return Finding(f"loaded: {name}", unlike, theirs_unlike)


def of_shares(op: str, dyno: Sequence[Round], theirs: Sequence[Round]) -> Finding:
    """The share of an op in percent; requests are drawn one by one."""
    (seen, n), (their_seen, their_n) = (
        (sum(one.ops.get(op, 0) for one in r), sum(sum(one.ops.values()) for one in r))
        for r in (dyno, theirs)
    )
    share = (seen + their_seen) / (n + their_n)
    error = 100 * math.sqrt(share * (1 - share) * (1 / n + 1 / their_n))
    ours, other = 100 * seen / n, 100 * their_seen / their_n
    p = 2 * float(ndtr(-abs(ours - other) / error)) if error else 1.0
    return Finding(f"{op}, %", ours, other, error, p)


def of_means(name: str, dyno: Sequence[float], theirs: Sequence[float]) -> Finding:
    """The means of rounds, by Welch's test: their spreads may differ."""
    ours, other = fmean(dyno), fmean(theirs)
    parts = [variance(values) / len(values) for values in (dyno, theirs)]
    error = math.sqrt(sum(parts))
    if error <= ROUNDED * max(abs(ours), abs(other)):
        alike = math.isclose(ours, other, rel_tol=ROUNDED)
        return Finding(name, ours, other, error, 1.0 if alike else 0.0)
    below = sum(
        part**2 / (len(values) - 1) for part, values in zip(parts, (dyno, theirs), strict=True)
    )
    p = 2 * float(stdtr(sum(parts) ** 2 / below, -abs(ours - other) / error))
    return Finding(name, ours, other, error, p)


def table(found: Sequence[Finding]) -> str:
    """All findings in columns."""
    head = f"{'figure':28}{'Dyno':>16}{'LinkBench':>16}{'difference':>14}{'error':>12}{'p':>8}"
    return "\n".join([head, *(_line(one, len(found)) for one in found)])


def _line(one: Finding, among: int) -> str:
    verdict = "agrees" if one.agrees(among) else "DIFFERS"
    if one.error is None:
        chance = f"{'none':>12}{'':>8}"
        verdict = "equal" if one.agrees(among) else verdict
    else:
        chance = f"{_figure(one.error):>12}{one.p:>8.3f}"
    figures = f"{_figure(one.dyno):>16}{_figure(one.theirs):>16}"
    return f"{one.name:28}{figures}{_figure(one.dyno - one.theirs):>14}{chance}  {verdict}"


def _figure(value: float) -> str:
    return f"{value:,.0f}" if float(value).is_integer() or abs(value) >= 1000 else f"{value:,.4f}"


if __name__ == "__main__":
    sys.exit(main())
