"""What findings say about tasks: maintenance alone or beside a load. None never stands for 0."""

from __future__ import annotations

from typing import Annotated

from dyno.analysis.part import FindingsPart, Keys, WithEstimates
from dyno.stats import Estimate


class TaskFailure(FindingsPart):
    """Trials in which a task ended with the same server error: its `code`, and the `message` of the
    first one; `after_s` is the median time until then, including the undoing.
    """

    code: int | None
    message: str
    trials: int
    after_s: float


class TaskLoad(WithEstimates):
    """The load around a task, over the `n` blocks that have it: medians, ok ops per second.

    `kept` is during / before in a trial, with Student's interval over the blocks. `silent_s` is the
    longest time without an op while it ran, of all trials. Latencies come from the histograms of
    all trials, None if there are too few ops for them. `of_failed`: no trial finished the task, so
    this is about those in which it failed.
    """

    n: int
    of_failed: bool
    before_per_s: float | None
    during_per_s: float | None
    after_per_s: float | None
    kept: Annotated[Estimate | None, Keys("kept", "kept_low", "kept_high")]
    silent_before_s: float | None
    silent_s: float | None
    p95_before_ms: float | None
    p95_during_ms: float | None
    p95_after_ms: float | None
    p99_before_ms: float | None
    p99_during_ms: float | None
    p99_after_ms: float | None


class TaskProgress(FindingsPart):
    """What the server reported against the true share of the task's time, over `trials` with it.

    `error_points` is the worst error of all trials, below 0 if the report was behind: it was at
    `error_reported_pct` at `error_at_pct` of the time. `error_median_points` is the median of the
    trials' worst. It stood still for `still_s`, `still_share` of the task's time, at
    `still_at_pct`, and fell back by up to `fell_points`. `samples` is the smallest number in a
    trial: with few of them, the worst error is a lower bound. Or `unavailable` says why nothing is
    known.
    """

    trials: int
    samples: int = 0
    source: str | None = None
    error_points: float | None = None
    error_median_points: float | None = None
    error_at_pct: float | None = None
    error_reported_pct: float | None = None
    still_s: float | None = None
    still_share: float | None = None
    still_at_pct: float | None = None
    fell_points: float | None = None
    unavailable: str | None = None


class TaskWaits(FindingsPart):
    """Sessions that waited for what a task had locked, by the samples of `trials`: `most` at once,
    for `what` in the server's words, and in which `share` of a trial's samples, at the median.
    """

    trials: int
    most: int
    share: float
    what: str | None


class TaskSearch(WithEstimates):
    """The least value of a variable at which a task's SQL succeeded, over the `n` blocks that found
    it: the median, and Student's interval over them. Values from `tried_from` to `tried_to` were
    tried, and it is at most `within` above one that failed.

    Trials that `never_failed` or `always_failed` only bound it. `attempts` is the median over those
    with an answer; `failed_s` and `ended_s` are medians over all attempts that failed, by the
    server's `failed_codes`, and over those that finished.
    """

    variable: str
    in_bytes: bool
    tried_from: int
    tried_to: int
    within: float
    n: int
    never_failed: int
    always_failed: int
    least: Annotated[Estimate | None, Keys("least", "least_low", "least_high")]
    least_min: float | None
    least_max: float | None
    blocks: list[tuple[int, float]]
    attempts: float | None
    failed: int
    failed_codes: dict[str, int]
    failed_s: float | None
    ended: int
    ended_s: float | None


class TaskRead(WithEstimates):
    """A task on one arm at one point. Times are of the good trials that finished it: the median of
    the `n` blocks, and Student's interval over them.

    `trials` = `ok` + `timeouts` + `not_run` + those of `failures`; the `void` ones among them give
    no time and say nothing about the load. `rowlog_pct` and `rowlog_rows` are the most that was
    seen in the log of changes beside an online ALTER, failed ones included. `counters` are medians
    of how far the server's counters moved, the load's part included. Sizes are medians for all
    tables, on disk and as the server reports. `search` is set for a task that searches: it has no
    time and no load, since it isn't a single piece of work. `waits` is None without a sample.
    """

    task: str
    arm: str
    point: int
    doing: str
    beside: bool
    trials: int
    ok: int
    timeouts: int
    not_run: int
    void: int
    failures: list[TaskFailure]
    n: int
    time_s: Annotated[Estimate | None, Keys("median_s", "low_s", "high_s")]
    min_s: float | None
    max_s: float | None
    blocks: list[tuple[int, float]]
    load: TaskLoad | None
    search: TaskSearch | None = None
    progress: TaskProgress
    waits: TaskWaits | None = None
    rowlog_pct: float | None
    rowlog_rows: int | None
    counters: dict[str, float]
    disk_before_bytes: float | None
    disk_after_bytes: float | None
    said_before_bytes: float | None
    said_after_bytes: float | None


class ProgressCurve(FindingsPart):
    """What the server reported of a task of a trial: pairs of the elapsed share of the task's time
    and the reported share, both in percent.
    """

    task: str
    arm: str
    point: int
    block: int
    places: list[tuple[float, float]]


class TaskSpan(FindingsPart):
    """When a task ran, in seconds from the beginning of the measure phase."""

    task: str
    outcome: str
    begin_s: float
    end_s: float


class TaskTimeline(FindingsPart):
    """The typical trial of an arm at a point, by the time its tasks took beside the load; its
    throughput is in the findings' `series`.
    """

    arm: str
    point: int
    block: int
    spans: list[TaskSpan]


class Tasks(FindingsPart):
    """All tasks of a run; `failed` and `reports` say in words which of them failed, which of them
    others waited for, and how far off the servers' reports of progress were.
    """

    failed: list[str]
    reports: list[str]
    tasks: list[TaskRead]
    curves: list[ProgressCurve]
    timelines: list[TaskTimeline]
