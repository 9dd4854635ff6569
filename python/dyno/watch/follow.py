"""Follows a server: reads it again and again, through restarts, and keeps what was seen of jobs.

Knows no screen. Each look gives a sight: what is running, how long it will take, what has ended.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from dyno.client import SqlError
from dyno.errors import ServerError
from dyno.servers import ExternalServer
from dyno.spec.product import full_name
from dyno.watch.eta import Estimate, EtaModel
from dyno.watch.reading import Job, Reader, Reading
from dyno.watch.rowlog import Fill, RowLog

# A job that disappears with this share of its time left is unlikely to have ended by itself.
EARLY_PART = 0.2


@dataclass(frozen=True)
class Gone:
    """A job that is no longer there, as it was last seen.

    `how`: "ended", as it was due; "killed", seen while it was undone; "early": long before it was
    due, so killed or failed; "server": the server was away meanwhile; "unknown".
    """

    job: Job
    pct: float | None
    left_s: float | None
    how: str


@dataclass(frozen=True)
class Sight:
    """One look at a server. `away`: why it couldn't be read; `reading` is None then."""

    t_s: float
    server: str
    reading: Reading | None
    away: str | None
    estimates: dict[int, Estimate] = field(default_factory=dict)
    fill: Fill | None = None
    gone: tuple[Gone, ...] = ()


class Link:
    """A connection to a server with its reader; the caller closes it. Raises ServerError."""

    def __init__(self, found: ExternalServer) -> None:
        self.server = full_name(found.product, found.version)
        self._connection = found.admin()
        try:
            self._reader = Reader(self._connection, found.version)
        except SqlError:
            self.close()
            raise

    def read(self) -> Reading:
        """Ask once. Raises SqlError."""
        return self._reader.read()

    def close(self) -> None:
        """Close the connection."""
        with contextlib.suppress(SqlError, OSError):
            self._connection.close()


class Follower:
    """Looks at one server when asked to. `connect` may raise ServerError."""

    def __init__(
        self, connect: Callable[[], Link], clock_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._connect = connect
        self._clock_s = clock_s
        self._link: Link | None = None
        self._server = ""
        self._was_away = False
        self._eta = EtaModel()
        self._rowlog = RowLog()
        self._last: dict[tuple[int, str], tuple[Job, Estimate]] = {}
        self._last_s = 0.0

    def connect(self) -> None:
        """Reach the server; looking also does that. Raises ServerError."""
        self._link = self._connect()
        self._server = self._link.server

    def close(self) -> None:
        """Close the connection."""
        if self._link is not None:
            self._link.close()
        self._link = None

    def look(self) -> Sight:
        """Read the server once; one that is away is tried again at the next look."""
        try:
            if self._link is None:
                self.connect()
            assert self._link is not None
            reading = self._link.read()
        except ServerError as error:
            self.close()
            self._was_away = True
            return Sight(self._clock_s(), self._server, None, error.message)
        return self._sight(reading)

    def _sight(self, reading: Reading) -> Sight:
        now_s = self._clock_s()
        self._eta.add(now_s, reading)
        self._rowlog.add(now_s, reading)
        estimates = {job.id: self._eta.estimate(job) for job in reading.jobs}
        running = {(job.id, job.sql): (job, estimates[job.id]) for job in reading.jobs}
        gone = tuple(
            _gone(job, estimate, unseen_s=now_s - self._last_s, was_away=self._was_away)
            for key, (job, estimate) in self._last.items()
            if key not in running or running[key][0].has_restarted(job)
        )
        self._last, self._last_s, self._was_away = running, now_s, False
        altered = [estimates[job.id].left_s for job in reading.jobs if job.source == "onlineddl"]
        left_s = altered[0] if len(altered) == 1 else None
        fill = self._rowlog.fill(reading, left_s)
        return Sight(now_s, self._server, reading, None, estimates, fill, gone)


def _gone(job: Job, estimate: Estimate, *, unseen_s: float, was_away: bool) -> Gone:
    """What became of a job that wasn't looked at for `unseen_s`."""
    how = "unknown"
    if was_away:
        how = "server"
    elif job.killed:
        how = "killed"
    elif estimate.left_s is not None and estimate.total_s is not None:
        early = estimate.left_s > max(EARLY_PART * estimate.total_s, 2 * unseen_s)
        how = "early" if early and not estimate.at_most else "ended"
    return Gone(job, estimate.pct, estimate.left_s, how)
