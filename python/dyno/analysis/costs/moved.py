"""Which counters moved with a result: possible causes to look at; any proof is up to the reader."""

from __future__ import annotations

from collections.abc import Sequence

from dyno.analysis.costs.model import Counters, Moved
from dyno.analysis.verdicts.model import Compared

MOVED_FACTOR = 1.5
MOVED_FLOOR = 100
MOVED_MOST = 6
# Counts per op of a load are small: they are compared with the floor as counts of this many ops.
LOAD_OPS = 1000
# One event, counted under another name where a server separates temporary tables or keeps them in
# another engine: MySQL's name, and MariaDB's.
SAME_EVENT = (
    ("Handler_write", "Handler_tmp_write"),
    ("Handler_update", "Handler_tmp_update"),
    ("Handler_delete", "Handler_tmp_delete"),
    ("Key_read_requests", "Aria_pagecache_read_requests"),
    ("Key_reads", "Aria_pagecache_reads"),
    ("Key_write_requests", "Aria_pagecache_write_requests"),
    ("Key_writes", "Aria_pagecache_writes"),
)
# Between the names in `Moved.counter`.
OR = " / "


def moved(counters: list[Counters], compared: list[Compared]) -> list[Moved]:
    """For each difference between arms on one op, the counters that differ most."""
    by_key = {(c.arm, c.op, c.point): c.status for c in counters}
    found: list[Moved] = []
    for result in compared:
        op, point = result.numerator_op, result.point
        if result.state != "different" or op != result.denominator_op:
            continue  # Between ops of different size every counter moves.
        if result.metric not in ("time", "throughput"):
            continue
        arms = result.numerator_arm, result.denominator_arm
        ours, theirs = as_one_event([by_key.get((arm, op, point), {}) for arm in arms])
        for name in _most_apart(ours, theirs, is_load=result.metric == "throughput"):
            found.append(
                Moved(
                    op=op,
                    point=point,
                    arm=result.numerator_arm,
                    baseline=result.denominator_arm,
                    counter=name,
                    value=ours.get(name, 0),
                    baseline_value=theirs.get(name, 0),
                )
            )
    return found


def as_one_event(counters: Sequence[dict[str, float]]) -> list[dict[str, float]]:
    """The counters of arms; an event for which only some of their servers have a second name
    appears once, under both names, with the sum of both counts.
    """
    sides = [dict(side) for side in counters]
    for names in SAME_EVENT:
        known = [{name for name in names if name in side} for side in sides]
        if all(known) and any(found != known[0] for found in known):
            for side in sides:
                side[OR.join(names)] = sum(side.pop(name, 0) for name in names)
    return sides


def _most_apart(ours: dict[str, float], theirs: dict[str, float], *, is_load: bool) -> list[str]:
    """The names of the counters that differ most, by the ratio of their values.

    For a load, a counter that only one of two servers has explains nothing.
    """
    names = ours.keys() & theirs.keys() if is_load else ours.keys() | theirs.keys()
    ops = LOAD_OPS if is_load else 1
    apart = [(_apart(ours.get(n, 0) * ops, theirs.get(n, 0) * ops), n) for n in sorted(names)]
    most = sorted(apart, key=lambda pair: -pair[0])[:MOVED_MOST]
    return [name for factor, name in most if factor >= MOVED_FACTOR]


def _apart(a: float, b: float) -> float:
    """How far apart two counts are, as a factor; small counts are never far apart."""
    if max(abs(a), abs(b)) < MOVED_FLOOR:
        return 1.0
    return (max(a, b) + 1) / (max(min(a, b), 0) + 1)
