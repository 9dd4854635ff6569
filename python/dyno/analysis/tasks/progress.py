"""How accurate a server's reports of a task's progress are: the reported against the true share.

Only for tasks that finished: for the others the true share is unknown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from dyno.analysis.tasks.model import ProgressCurve, TaskProgress
from dyno.spec.product import full_name
from dyno.spec.task import Task
from dyno.store.trial import ServerRead, TaskRun, Trial

# How many points of a curve are kept for a chart.
PLACES_MOST = 120
NOT_DONE = "no trial finished it"
# Fewer samples don't make a curve.
SAMPLES_FEWEST = 3
TOO_SHORT = f"it was over before {SAMPLES_FEWEST} samples of its progress were taken"
SEVERAL = "it is several statements, and the server reports the progress of each by itself"
SEARCHED = "it is a search, whose attempts are listed one by one"
NOT_SQL = "it is not a statement whose progress a server could report"


@dataclass(frozen=True)
class Told:
    """What a server reported about one task from its start to its end: pairs of the elapsed share
    of the task's time and the reported share, both in percent.
    """

    source: str
    elapsed_s: float
    places: list[tuple[float, float]]

    @property
    def worst(self) -> tuple[float, float]:
        """The point where the report was farthest from the truth."""
        return max(self.places, key=lambda place: abs(place[1] - place[0]))

    @property
    def error_points(self) -> float:
        """How many percentage points off it was there; below 0 it was behind."""
        share, reported = self.worst
        return reported - share

    @property
    def still(self) -> tuple[float, float]:
        """The longest time without a change, in seconds, and the value reported then."""
        longest, begin = (0.0, self.places[0][1]), self.places[0]
        for place in (*self.places[1:], (100.0, float("nan"))):
            if place[1] != begin[1]:
                longest = max(longest, ((place[0] - begin[0]) / 100 * self.elapsed_s, begin[1]))
                begin = place
        return longest

    @property
    def fell_points(self) -> float:
        """The most percentage points by which it fell back."""
        return max([0.0, *(a[1] - b[1] for a, b in pairwise(self.places))])


def reported(run: TaskRun) -> Told | None:
    """What was reported about a task that ended well; None if that is nothing, or too little.

    A server may have several sources for one task, each with its own count: the one that reported
    most often is used.
    """
    sources = Counter(s.source for s in run.progress if s.pct is not None and s.source)
    if run.outcome != "ok" or not sources or run.elapsed_s <= 0:
        return None
    source = sources.most_common(1)[0][0]
    places = [
        (min(100 * sample.t_s / run.elapsed_s, 100.0), sample.pct)
        for sample in run.progress
        if sample.source == source and sample.pct is not None
    ]
    if len(places) < SAMPLES_FEWEST:
        return None
    return Told(source=source, elapsed_s=run.elapsed_s, places=places)


def progress(task: Task, trials: list[Trial]) -> TaskProgress:
    """For one arm at one point: its good trials, each of which has the task."""
    runs = [run for trial in trials for run in trial.tasks if run.name == task.name]
    reason = _unavailable(task, runs, next((t.server for t in trials if t.server), None))
    found = [seen for run in runs if (seen := reported(run)) is not None]
    if reason is not None or not found:
        return TaskProgress(trials=0, unavailable=reason or TOO_SHORT)
    worst = max(found, key=lambda seen: abs(seen.error_points))
    still = max(found, key=lambda seen: seen.still)
    return TaskProgress(
        trials=len(found),
        samples=min(len(seen.places) for seen in found),
        source=found[0].source,
        error_points=worst.error_points,
        error_median_points=median(abs(seen.error_points) for seen in found),
        error_at_pct=worst.worst[0],
        error_reported_pct=worst.worst[1],
        still_s=still.still[0],
        still_share=still.still[0] / still.elapsed_s,
        still_at_pct=still.still[1],
        fell_points=max(seen.fell_points for seen in found),
    )


def curve(trial: Trial, run: TaskRun) -> ProgressCurve | None:
    """What was reported about a task of a trial, with the worst point kept; None if nothing was."""
    seen = reported(run)
    if seen is None:
        return None
    places = _fewer(seen.places, seen.worst)
    return ProgressCurve(
        task=run.name,
        arm=trial.arm,
        point=trial.point,
        block=trial.block,
        places=[(round(share, 2), round(reported, 2)) for share, reported in places],
    )


def _fewer(
    places: list[tuple[float, float]], worst: tuple[float, float]
) -> list[tuple[float, float]]:
    every = -(-len(places) // PLACES_MOST)
    kept = {*places[::every], worst, places[-1]}
    return [place for place in places if place in kept]


def _unavailable(task: Task, runs: Iterable[TaskRun], server: ServerRead | None) -> str | None:
    """Why nothing can be said about it; None if something can."""
    if not task.statements:
        return NOT_SQL
    if task.least is not None:
        return SEARCHED
    done = [run for run in runs if run.outcome == "ok"]
    if not done:
        return NOT_DONE
    samples = [sample for run in done for sample in run.progress]
    if not samples:
        return TOO_SHORT
    if all(sample.pct is None for sample in samples):
        return f"{_name(server)} doesn't report its progress"
    return SEVERAL if len(task.statements) > 1 else None


def _name(server: ServerRead | None) -> str:
    if server is None:
        return "the server"
    return full_name(server.product, server.version)
