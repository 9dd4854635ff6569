"""How full the row log of an ALTER in place is, and whether it overflows before the ALTER ends.

Pure, like dyno.watch.eta. The log holds the changes that are made while indexes are built; when
it reaches innodb_online_alter_log_max_size, the ALTER fails with error 1799 and all its work is
undone.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from dyno.watch.reading import Reading

# The window of the trend: a load comes in waves, and a flickering warning is useless.
LATELY_S = 10.0
LATELY_MIN_S = 1.0
# It is full one block (innodb_sort_buffer_size) before its end.
FULL_PCT = 99.0
# From here on it deserves a warning even if it should just be enough.
HIGH_PCT = 80.0


@dataclass(frozen=True)
class Fill:
    """`pct` and `rows` as the server says; `full_in_s`: at its recent pace, None while it doesn't
    grow.

    `warning`: why it matters, or None.
    """

    pct: float
    rows: int | None
    full_in_s: float | None
    warning: str | None


class RowLog:
    """The row log of the one ALTER that runs."""

    def __init__(self) -> None:
        self._points: deque[tuple[float, float]] = deque()

    def add(self, t_s: float, reading: Reading) -> None:
        """Take in a reading; without a row log, everything before it is forgotten."""
        pct = reading.rowlog_pct
        if pct is None or (self._points and pct < self._points[-1][1]):
            self._points.clear()
        if pct is not None:
            self._points.append((t_s, pct))
        while self._points and self._points[0][0] < t_s - LATELY_S:
            self._points.popleft()

    def fill(self, reading: Reading, left_s: float | None) -> Fill | None:
        """How full it is; `left_s`: how long the ALTER will still take, if known."""
        if reading.rowlog_pct is None or not self._points:
            return None
        pct = reading.rowlog_pct
        full_in_s = self._full_in_s(pct)
        return Fill(pct, reading.rowlog_rows, full_in_s, _warning(pct, full_in_s, left_s))

    def _full_in_s(self, pct: float) -> float | None:
        (first_s, first), (last_s, last) = self._points[0], self._points[-1]
        if last_s - first_s < LATELY_MIN_S or last <= first:
            return None
        return max(FULL_PCT - pct, 0.0) / ((last - first) / (last_s - first_s))


def _warning(pct: float, full_in_s: float | None, left_s: float | None) -> str | None:
    if full_in_s is not None and left_s is not None and full_in_s < left_s:
        return "it overflows before the ALTER ends, which then fails (error 1799)"
    if pct >= HIGH_PCT:
        return "it is nearly full; the ALTER fails when it overflows (error 1799)"
    return None
