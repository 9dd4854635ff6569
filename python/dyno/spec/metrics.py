"""The registry of metrics: what arms are compared by, and what a claim can be about.

A new metric is a row here, and a line in `analysis.measures`, which takes its values from trials.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal

from pydantic import AfterValidator

from dyno.spec.strict import refuse_other
from dyno.spec.units import capital

# What a metric belongs to: one op; all ops together, filed under one op's name without showing it;
# or a task, whose name takes the place of the op's.
Owner = Literal["op", "all ops", "task"]
# What a workload needs for it: individually timed statements; any load; a load whose headline it
# is; a [[task]].
Needs = Literal["statements", "load", "headline", "task"]


@dataclass(frozen=True)
class Metric:
    """One row. `unit` is that of its values; a ratio has none.

    `per_s` marks a rate: how many of its unit one op per second makes. `quantile` marks a latency,
    which the summary of a trial has under KEY_ns. `meaning` is what its name doesn't say, for the
    reference. `which_task` and `hint` are for a claim that finds no task with the metric.
    """

    key: str
    noun: str
    plural: str
    unit: str
    needs: Needs
    owner: Owner = "op"
    more_is_better: bool = False
    has_level: bool = True
    per_s: int = 0
    quantile: float | None = None
    meaning: str = ""
    which_task: str = ""
    hint: str = ""

    @property
    def is_rate(self) -> bool:
        """Whether it counts something per time."""
        return self.per_s > 0

    @property
    def is_named_by_unit(self) -> bool:
        """Whether its unit says all that its name does: "4,200 new orders/min"."""
        return self.noun == self.unit

    @property
    def title(self) -> str:
        """The noun at the beginning of a line; "p95 latency" stays as it is."""
        return self.noun if self.noun[1:2].isdigit() else capital(self.noun)

    @property
    def way(self) -> str:
        """Which way a figure is better."""
        return "more is better" if self.more_is_better else "less is better"

    @property
    def side(self) -> str:
        """Which way a ratio is better."""
        return "above 1 is better" if self.more_is_better else "below 1 is better"


def _latency(key: str, quantile: float) -> Metric:
    name = f"p{quantile * 100:g} latency"
    return Metric(key, name, f"{name[:-1]}ies", unit="ms", needs="load", quantile=quantile)


_BESIDE = "done once beside the load"
_NOT_BESIDE = "add beside = true to the task, or claim its task_time"

# In the order in which comparisons are listed.
_ROWS = (
    Metric(
        "time",
        "time",
        "times",
        unit="s",
        needs="statements",
        meaning="the median of the measured rounds",
    ),
    Metric(
        "new_orders_per_min",
        "new orders/min",
        "new orders/min",
        unit="new orders/min",
        needs="headline",
        owner="all ops",
        meaning="of tpcc; without `op`",
        more_is_better=True,
        per_s=60,
    ),
    Metric(
        "total_throughput",
        "total throughput",
        "total throughputs",
        unit="ops/s",
        needs="headline",
        owner="all ops",
        meaning="of linkbench and queries: all ops together; without `op`",
        more_is_better=True,
        per_s=1,
    ),
    Metric(
        "throughput",
        "throughput",
        "throughputs",
        unit="ops/s",
        needs="load",
        more_is_better=True,
        per_s=1,
        meaning="of one op",
    ),
    _latency("p50", 0.5),
    _latency("p95", 0.95),
    _latency("p99", 0.99),
    _latency("p999", 0.999),
    Metric(
        "server_cpu",
        "server CPU per op",
        "server CPU times per op",
        unit="µs",
        needs="load",
        owner="all ops",
        meaning="of the server's process, over the ops that succeeded",
    ),
    Metric(
        "context_switches",
        "context switches per op",
        "context switches per op",
        unit="",
        needs="load",
        owner="all ops",
        meaning="of the whole host",
    ),
    Metric(
        "written",
        "kB written per op",
        "kB written per op",
        unit="kB",
        needs="load",
        owner="all ops",
        meaning="by the server's process to disks",
    ),
    Metric(
        "bytes_per_row",
        "row size",
        "row sizes",
        unit="bytes",
        needs="load",
        owner="all ops",
        meaning="what a row takes on disk",
    ),
    Metric(
        "steadiness",
        "variation of throughput",
        "variations of throughput",
        unit="",
        needs="load",
        owner="all ops",
        meaning="of the seconds of a trial: standard deviation over mean",
    ),
    Metric(
        "load_time",
        "load time",
        "load times",
        unit="s",
        needs="load",
        owner="all ops",
        has_level=False,
        meaning="of loading the dataset, by the protocol's `loads`; without `at`",
    ),
    Metric(
        "task_time",
        "task time",
        "task times",
        unit="s",
        needs="task",
        owner="task",
        meaning="of a task that isn't a search",
        which_task="that is timed as a whole",
        hint="claim the task_least of one that searches",
    ),
    Metric(
        "throughput_beside",
        "throughput beside it",
        "throughputs beside it",
        unit="ops/s",
        needs="task",
        owner="task",
        more_is_better=True,
        meaning="of ops of all kinds while the task runs; no op at all counts as one",
        which_task=_BESIDE,
        hint=_NOT_BESIDE,
    ),
    Metric(
        "throughput_kept",
        "kept throughput",
        "shares of kept throughput",
        unit="",
        needs="task",
        owner="task",
        more_is_better=True,
        meaning="that throughput over the one right before the task, likewise",
        which_task=_BESIDE,
        hint=_NOT_BESIDE,
    ),
    Metric(
        "task_least",
        "least value",
        "least values",
        unit="",
        needs="task",
        owner="task",
        meaning="what the search found",
        which_task="that searches",
        hint="add least to the task, or claim its task_time",
    ),
)
METRICS = {metric.key: metric for metric in _ROWS}
METRIC_ORDER = {key: place for place, key in enumerate(METRICS)}
LATENCIES = {key: row.quantile for key, row in METRICS.items() if row.quantile is not None}


MetricKey = Annotated[str, AfterValidator(partial(refuse_other, known=METRICS))]


@dataclass(frozen=True)
class TrialFigure:
    """What a trial shows besides its metrics: a figure of a task, or a status counter, whose name
    is its key. `unit` follows the value; `lacking` says why no trial may have it.
    """

    key: str
    noun: str
    unit: str = ""
    is_counter: bool = False
    of_one_statement: bool = True
    lacking: str = "no trial has it: this server doesn't report it, or the task was too short"


def counter(name: str) -> TrialFigure:
    """The row of a status counter. Only the server knows which counters exist."""
    why = "this counter never moved on this server: does it exist, and is it spelt right?"
    return TrialFigure(name, name, is_counter=True, of_one_statement=False, lacking=why)


TASK_FIGURES = {
    figure.key: figure
    for figure in (
        TrialFigure(
            "progress_error", "points by which reported progress is off at worst", unit=" points"
        ),
        TrialFigure("row_log_peak", "percent to which the row log gets full", unit=" %"),
        TrialFigure("failed", "failures", of_one_statement=False),
    )
}


FigureKey = Annotated[str, AfterValidator(partial(refuse_other, known=TASK_FIGURES))]
