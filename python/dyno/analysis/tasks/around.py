"""What a trial's load did before, during and after a task beside it: ops, silences, latencies.

One trial at a time, and nothing is estimated here. An op counts at the time it ended.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from dyno.analysis.load.trial import MEASURE, LoadTrial
from dyno.spec.metrics import MetricKey
from dyno.spec.plan import Plan
from dyno.spec.task import Task
from dyno.stats import Floats
from dyno.store.run import BIN_S, RunFolder
from dyno.store.trial import TaskRun

When = Literal["before", "during", "after"]
WINDOWS: tuple[When, ...] = ("before", "during", "after")
# Times on the load's clock are known to a millisecond or so; seconds begin and end on whole ones.
_SLACK_S = 1e-3


@dataclass(frozen=True)
class Window:
    """A span in seconds from the beginning of the measure phase."""

    begin_s: float
    end_s: float

    @property
    def length_s(self) -> float:
        """How long it is; 0 if nothing of it was recorded."""
        return max(self.end_s - self.begin_s, 0.0)


@dataclass(frozen=True)
class LoadAround:
    """A load in the three windows of a task: ok ops per second of all kinds, and the longest time
    without an op, in seconds. None if nothing of a window was recorded. `one_per_s` is the rate
    that a single op during the task would give.
    """

    per_s: dict[When, float | None]
    silent_s: dict[When, float | None]
    one_per_s: float

    @property
    def beside_per_s(self) -> float | None:
        """The throughput beside the task as a ratio takes it: no op at all counts as one, since
        leaving out such trials would flatter the arm.
        """
        during = self.per_s["during"]
        return None if during is None else max(during, self.one_per_s)

    @property
    def kept(self) -> float | None:
        """What the load kept of its throughput while the task ran; never 0."""
        before, during = self.per_s["before"], self.beside_per_s
        return None if not before or during is None else during / before


def windows(load: LoadTrial, run: TaskRun, task: Task) -> dict[When, Window]:
    """The three windows, as far as they were recorded. The task must have run beside the load."""
    assert run.start_s is not None
    begin_s = run.start_s - load.begin_s
    end_s = begin_s + run.elapsed_s
    last_s = load.intervals * load.width_s
    found: dict[When, tuple[float, float]] = {
        "before": (begin_s - task.before, begin_s),
        "during": (begin_s, end_s),
        "after": (end_s, end_s + task.after),
    }
    return {when: Window(max(a, 0.0), min(b, last_s)) for when, (a, b) in found.items()}


def load_around(load: LoadTrial, run: TaskRun, task: Task) -> LoadAround:
    """The load around one task of its trial."""
    spans = windows(load, run, task)
    return LoadAround(
        per_s={when: _per_s(load, span) for when, span in spans.items()},
        silent_s={
            when: _silent_s(load, span, beyond=when == "during") for when, span in spans.items()
        },
        one_per_s=1 / max(run.elapsed_s, 1e-6),
    )


def ran_beside(load: LoadTrial, plan: Plan) -> Iterator[tuple[TaskRun, Task]]:
    """The tasks of a trial that its load ran beside, with their entries in the plan."""
    planned = {task.name: task for task in plan.tasks}
    for run in load.trial.tasks:
        if run.start_s is not None and run.outcome != "not run" and run.name in planned:
            yield run, planned[run.name]


def load_values(load: LoadTrial, plan: Plan) -> Iterator[tuple[MetricKey, str, float]]:
    """Metric, task and value of the tasks that finished beside this load. A search has none: how
    much of it is an ALTER depends on how often it failed.
    """
    for run, task in ran_beside(load, plan):
        if run.outcome == "ok" and task.least is None:
            seen = load_around(load, run, task)
            if seen.beside_per_s is not None:
                yield "throughput_beside", run.name, seen.beside_per_s
            if seen.kept is not None:
                yield "throughput_kept", run.name, seen.kept


def _tenths(load: LoadTrial) -> Floats | None:
    """Ops that ended, by full interval and tenth of a second in it; None if not recorded."""
    each = round(load.width_s / BIN_S)
    if load.bins is None or not each or len(load.bins) != load.intervals * each:
        return None
    return load.bins.reshape(load.intervals, each)


def _per_s(load: LoadTrial, span: Window) -> float | None:
    """Ok ops per second in a span; an interval that it cuts is prorated by its tenths."""
    if not span.length_s:
        return None
    ended = _tenths(load)
    if ended is None:
        ended = np.ones((load.intervals, 1))
    width_s = load.width_s / ended.shape[1]
    begins_s = np.arange(ended.size).reshape(ended.shape) * width_s
    overlap_s = np.minimum(begins_s + width_s, span.end_s) - np.maximum(begins_s, span.begin_s)
    inside = np.clip(overlap_s / width_s, 0, 1)
    total = ended.sum(axis=1)
    share = np.where(
        total > 0, (ended * inside).sum(axis=1) / np.maximum(total, 1), inside.mean(axis=1)
    )
    return float((load.ok_per_s * load.width_s * share).sum()) / span.length_s


def _silent_s(load: LoadTrial, span: Window, *, beyond: bool) -> float | None:
    """The longest time without an op in a span; `beyond`: a gap at its end counts in full."""
    if not span.length_s:
        return None
    tenths = _tenths(load)
    ended = load.ok_per_s if tenths is None else tenths.ravel()
    width_s = load.width_s if tenths is None else BIN_S
    first = max(math.floor((span.begin_s + _SLACK_S) / width_s), 0)
    last = min(math.ceil((span.end_s - _SLACK_S) / width_s), len(ended))
    longest, place = 0, first
    while place < last:
        end = place
        while end < (len(ended) if beyond else last) and ended[end] == 0:
            end += 1
        longest = max(longest, end - place)
        place = end + 1
    return round(longest * width_s, 6)


def latency_texts(
    folder: RunFolder, load: LoadTrial, plan: Plan
) -> dict[tuple[str, When], list[str]]:
    """Histograms of ok ops, encoded, by task and window, from the full intervals of a trial.

    Intervals that a task touches belong to it; those of the other windows lie entirely within them.
    """
    spans = [(run.name, windows(load, run, task)) for run, task in ran_beside(load, plan)]
    frame = folder.intervals(load.trial.number) if spans else None
    if frame is None:
        return {}
    ok = frame.filter((pl.col("phase") == MEASURE) & (pl.col("outcome") == "ok"))
    texts: dict[tuple[str, When], list[str]] = {}
    for index, text in ok.select("index", "histogram").rows():
        if text and index < load.intervals:
            begin_s, end_s = index * load.width_s, (index + 1) * load.width_s
            for name, around in spans:
                when = _when(around, begin_s, end_s)
                if when is not None:
                    texts.setdefault((name, when), []).append(text)
    return texts


def _when(around: dict[When, Window], begin_s: float, end_s: float) -> When | None:
    during = around["during"]
    if begin_s < during.end_s - _SLACK_S and end_s > during.begin_s + _SLACK_S:
        return "during"
    for when in ("before", "after"):
        span = around[when]
        if span.begin_s - _SLACK_S <= begin_s and end_s <= span.end_s + _SLACK_S:
            return when
    return None
