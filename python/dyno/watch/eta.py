"""How long a job will still take: a model that learns from the job's own progress.

Pure: it is fed with a time and a reading, and asked for an estimate. It has no clock and asks no
server.

A percentage isn't a share of time. So each phase of the work begins with a weight
(dyno.watch.phases); elapsed time over completed weight gives the pace. The current phase uses more
and more of its own pace as it progresses, and within it recent progress as well as all of it;
later phases use the pace of everything seen.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field, replace

from dyno.watch.phases import (
    Build,
    Phase,
    even_phases,
    onlineddl_phases,
    place,
    stage_phases,
)
from dyno.watch.reading import IN_PLACE_SOURCES, Job, Reading

# A phase's own pace counts as much as the overall pace once this much of it is done.
OWN_PACE_FROM = 0.25
# Recently: this share of the time that the phase has taken, but at least this long.
LATELY = 0.3
LATELY_MIN_S = 3.0
# The weight of recent progress against all of the phase.
LATELY_COUNTS = 1 / 3
# Recent progress may be a jump or a pause: it changes the pace by no more than this.
PACE_FACTOR_MAX = 3.0
# Nothing is shown earlier: a thousandth of the work gives no estimate.
SAID_FROM_S = 1.0
SAID_FROM_PCT = 0.5


@dataclass(frozen=True)
class Estimate:
    """`total_s` and `left_s` of a job; None: unknown, and `why` says why.

    `at_most`: it may end sooner, since not all rows of the table may be affected. `phase`: the
    current one. `rate_per_s`: recently, of `rate_unit` (% or rows). `pct`: its progress, or the
    last one reported.
    """

    total_s: float | None
    left_s: float | None
    at_most: bool = False
    phase: str | None = None
    rate_per_s: float | None = None
    rate_unit: str = "%"
    why: str | None = None
    pct: float | None = None


@dataclass
class _Seen:
    """What was seen of one job: its time so far and its progress, and when each phase began."""

    job: Job
    phases: tuple[Phase, ...] = ()
    source: str | None = None
    build: Build | None = None
    stages: int = -1
    points: deque[tuple[float, float]] = field(default_factory=lambda: deque(maxlen=10_000))
    rows: deque[tuple[float, int]] = field(default_factory=lambda: deque(maxlen=10_000))
    phase: int = -1
    begun_s: float = 0.0
    begun_part: float = 0.0
    waited_s: float = 0.0

    @property
    def worked_s(self) -> float:
        """Its time so far, without the time that it was seen waiting for a lock."""
        return max(self.job.elapsed_s - self.waited_s, 0.0)


class EtaModel:
    """For all jobs of one server. Times are seconds on any one clock."""

    def __init__(self) -> None:
        self._seen: dict[tuple[int, str], _Seen] = {}

    def add(self, t_s: float, reading: Reading) -> None:
        """Take in a reading; jobs that are no longer in it are forgotten."""
        running = {}
        for job in reading.jobs:
            key = (job.id, job.sql)
            seen = self._seen.get(key)
            if seen is None or job.has_restarted(seen.job):
                seen = _Seen(job)
                _waited(seen, job, since_s=0.0)
            else:
                _waited(seen, job, since_s=seen.job.elapsed_s)
            _take(seen, job)
            running[key] = seen
        self._seen = running

    def estimate(self, job: Job) -> Estimate:
        """How long a job of the last reading will still take."""
        seen = self._seen[job.id, job.sql]
        rate, unit = _rate(seen, job)
        pct = seen.points[-1][1] if seen.points else None
        so_far = Estimate(None, None, rate_per_s=rate, rate_unit=unit, pct=pct)
        if pct is None or job.state.startswith("Waiting for"):
            return replace(so_far, why=_why_unknown(job))
        worked_s = seen.worked_s
        number, part = place(seen.phases, pct)
        if seen.phase == len(seen.phases) - 1:
            number, part = seen.phase, 0.0
        name = seen.phases[number].name if seen.source in IN_PLACE_SOURCES else None
        if worked_s < SAID_FROM_S or pct < SAID_FROM_PCT:
            return replace(so_far, phase=name, why="it has only just begun")
        left_s = _left_s(seen, worked_s, number, part)
        return replace(
            so_far,
            total_s=job.elapsed_s + left_s,
            left_s=left_s,
            at_most=job.source is None,
            phase=name,
        )


def share_done(job: Job) -> float | None:
    """Progress of a job in percent: as the server reports, else by its rows; None: unknown."""
    if job.pct is not None:
        return job.pct
    if job.rows_done is not None and job.rows_total:
        return min(100.0 * job.rows_done / job.rows_total, 100.0)
    return None


def _waited(seen: _Seen, job: Job, *, since_s: float) -> None:
    """Time in which a job waits for a lock says nothing about its pace."""
    if job.state.startswith("Waiting for"):
        seen.waited_s += job.elapsed_s - since_s


def _take(seen: _Seen, job: Job) -> None:
    seen.job = job
    source, build = job.source or seen.source, job.build or seen.build
    stages = max(job.stages, seen.stages)
    if (source, build, stages) != (seen.source, seen.build, seen.stages):
        if source != seen.source:
            seen.points.clear()
        seen.source, seen.build, seen.stages, seen.phase = source, build, stages, -1
        known = {"onlineddl": onlineddl_phases, "stages": stage_phases}.get(source or "")
        seen.phases = known(build) if known else even_phases(stages)
    if job.rows_done is not None:
        seen.rows.append((seen.worked_s, job.rows_done))
    pct = share_done(job)
    if pct is None:
        if job.source == "onlineddl" and seen.points:
            _to_phase(seen, len(seen.phases) - 1, 0.0)
        return
    # Another source, or another round of the same one, may begin at 0.
    if seen.points and pct < seen.points[-1][1] - 1:
        seen.points.clear()
        seen.phase = -1
    seen.points.append((seen.worked_s, pct))
    _to_phase(seen, *place(seen.phases, pct))


def _to_phase(seen: _Seen, number: int, part: float) -> None:
    if number != seen.phase:
        seen.phase, seen.begun_s, seen.begun_part = number, seen.worked_s, part


def _left_s(seen: _Seen, elapsed_s: float, number: int, part: float) -> float:
    weights = [phase.weight for phase in seen.phases]
    done = sum(weights[:number]) + weights[number] * part
    if number == len(weights) - 1:
        # Nothing is counted any more: what is left is the usual time minus the elapsed time.
        pace = seen.begun_s / done if done else 0.0
        return max(weights[-1] * pace - (elapsed_s - seen.begun_s), 0.0)
    pace = elapsed_s / done
    own = _own_pace(seen, elapsed_s, weights[number], part)
    here = pace
    if own is not None:
        trust = (part - seen.begun_part) / (part - seen.begun_part + OWN_PACE_FROM)
        here = (1 - trust) * pace + trust * own
    return weights[number] * (1 - part) * here + sum(weights[number + 1 :]) * pace


def _own_pace(seen: _Seen, elapsed_s: float, weight: float, part: float) -> float | None:
    """Seconds per weight in the current phase; None before anything is known about it."""
    took_s = elapsed_s - seen.begun_s
    did = (part - seen.begun_part) * weight
    if took_s <= 0 or did <= 0:
        return None
    all_of_it = took_s / did
    since_s = elapsed_s - max(LATELY * took_s, LATELY_MIN_S)
    before = [point for point in seen.points if seen.begun_s <= point[0] <= since_s]
    if not before:
        return all_of_it
    at_s, pct = before[-1]
    number, then = place(seen.phases, pct)
    lately = (part - then) * weight if number == seen.phase else 0.0
    if lately <= 0:
        return all_of_it * math.pow(PACE_FACTOR_MAX, LATELY_COUNTS)
    pace = (elapsed_s - at_s) / lately
    bounded = min(max(pace, all_of_it / PACE_FACTOR_MAX), all_of_it * PACE_FACTOR_MAX)
    return all_of_it * math.pow(bounded / all_of_it, LATELY_COUNTS)


def _rate(seen: _Seen, job: Job) -> tuple[float | None, str]:
    """Its recent rate: in percent if known, else in rows."""
    points: list[tuple[float, float]] = [*seen.points] if job.pct is not None else [*seen.rows]
    unit = "%" if job.pct is not None else "rows"
    if not points:
        return None, unit
    now_s, value = points[-1]
    since = [p for p in points if p[0] <= now_s - max(LATELY_MIN_S, LATELY * now_s)]
    # Early on, "recently" means all of it: it began at 0.
    at_s, was = since[-1] if since else (0.0, 0.0)
    return ((value - was) / (now_s - at_s) if now_s > at_s else None), unit


def _why_unknown(job: Job) -> str:
    if job.state.startswith("Waiting for"):
        return "it waits itself"
    if job.kind == "defragment":
        return "the server doesn't say how much there is to defragment"
    if job.rows_done is not None:
        return "how many rows there will be isn't known"
    if job.source == "stages":
        return "the server doesn't know how large the table is (ANALYZE TABLE finds out)"
    return "the server doesn't say how far it is"
