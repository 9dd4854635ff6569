"""Reads pgbench's logs of -l with --aggregate-interval: one line of whole numbers per interval.

The columns: begin (Unix time), transactions, sum and sum of squares of latencies, least, greatest
(microseconds), then what differs between versions. A log has neither clients nor an end.
"""

from __future__ import annotations

import math
import re
from itertools import pairwise

from dyno.graph.model import Figure, Found, Interval, Latency, Run
from dyno.graph.text import Text

EPOCH_LEAST_S = 10**8
# 6 to 11 columns up to version 14, 15 or more since then.
_ROW = r"^\d{9,11}(?: \d{1,20}){5,17}\s*$"
# -l alone writes single transactions.
_EACH = r"^\d{1,9} \d{1,9} (?:\d{1,15}|skipped|failed) \d{1,6} \d{9,11} \d{1,6}(?: \d+)*\s*$"
MARK = f"{_ROW}|{_EACH}"
ROW, EACH = re.compile(_ROW), re.compile(_EACH)
EXPECTED = (
    "a log of pgbench -l --aggregate-interval=1: begin, transactions, sum of latencies, sum of "
    "squares, least, greatest, …"
)
LEFT_OUT = (
    "the first and the last interval of a log may be cut short: they are left out of the "
    "throughput and of what is drawn over time"
)
Row = tuple[int, ...]


def is_log(text: Text) -> bool:
    """Whether a text holds lines of a log."""
    return any(re.match(MARK, line) for _, line in text.numbered())


def read(text: Text) -> Found:
    """One run per text; a clock that goes back begins another."""
    runs: list[list[tuple[int, Row]]] = []
    other = []
    for place, line in text.numbered():
        if EACH.match(line):
            raise text.broken(place, "a log of single transactions", EXPECTED)
        if ROW.match(line):
            row = tuple(int(value) for value in line.split())
            if not runs or row[0] <= runs[-1][-1][1][0]:
                runs.append([])
            runs[-1].append((place, row))
        elif re.match(r"\d{9,11} \d", line):
            raise text.broken(place, "not a line of pgbench's log", EXPECTED)
        else:
            other.append(place)
    found = [_run(rows[0][0], [row for _, row in rows]) for rows in runs]
    return Found(tuple(found), tuple(other), (LEFT_OUT,))


def _run(place: int, rows: list[Row]) -> Run:
    begin_s = rows[0][0]
    width_s = min((b[0] - a[0] for a, b in pairwise(rows)), default=0)
    inner = rows[1:-1]
    intervals = tuple(
        Interval(float(row[0] - begin_s + width_s), row[1] / width_s, _latency([row]))
        for row in inner
    )
    rate = None
    if inner:
        rate = Figure(round(sum(row[1] for row in inner) / (rows[-1][0] - rows[1][0]), 3))
    return Run(
        line=place,
        unit="transactions",
        throughput_per_s=rate,
        latency=_latency(rows),
        intervals=intervals,
    )


def _latency(rows: list[Row]) -> Latency:
    """For all transactions in these intervals; nothing if none ended."""
    count = sum(row[1] for row in rows)
    if not count:
        return Latency()
    mean = sum(row[2] for row in rows) / count
    spread = math.sqrt(max(sum(row[3] for row in rows) / count - mean**2, 0.0))
    ended = [row for row in rows if row[1]]
    return Latency(
        min_ms=min(row[4] for row in ended) / 1000,
        mean_ms=round(mean / 1000, 6),
        stddev_ms=round(spread / 1000, 6),
        max_ms=max(row[5] for row in ended) / 1000,
    )
