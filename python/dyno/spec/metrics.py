"""The registry of metrics: what arms are compared by, and what a claim can be about.

A new metric is a row here, and a line in `analysis.measures`, which takes its values from trials.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal

from pydantic import AfterValidator

from dyno.spec.strict import refuse_other

# Whose a metric is: an op's own; that of all ops together, which goes by one op's name without
# showing it; a task's, whose name stands in the place of the op's.
Owner = Literal["op", "all ops", "task"]
# What a workload must be for it: statements that are timed each; any load; a load whose headline it
# is; a [[task]].
Needs = Literal["statements", "load", "headline", "task"]


@dataclass(frozen=True)
class Metric:
    """One row. `unit` is that of its values; a ratio has none.

    `per_s` marks a rate: how many of its unit one op a second makes. `quantile` marks a latency,
    which the summary of a trial has under KEY_ns. `which_task` and `hint` are for a claim that
    finds no task with the metric.
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
    which_task: str = ""
    hint: str = ""

    @property
    def is_rate(self) -> bool:
        """Whether it counts something by time."""
        return self.per_s > 0

    @property
    def is_named_by_unit(self) -> bool:
        """Whether its unit says all that its name does: "4,200 new orders/min"."""
        return self.noun == self.unit

    @property
    def title(self) -> str:
        """The noun at the head of a line; "p95 latency" stays as it is."""
        return self.noun if self.noun[1:2].isdigit() else self.noun.capitalize()

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
    Metric("time", "time", "times", unit="s", needs="statements"),
    Metric(
        "new_orders_per_min",
        "new orders/min",
        "new orders/min",
        unit="new orders/min",
        needs="headline",
        owner="all ops",
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
    ),
    _latency("p50", 0.5),
    _latency("p95", 0.95),
    _latency("p99", 0.99),
    _latency("p999", 0.999),
    Metric("bytes_per_row", "row size", "row sizes", unit="bytes", needs="load", owner="all ops"),
    Metric(
        "steadiness",
        "variation of throughput",
        "variations of throughput",
        unit="",
        needs="load",
        owner="all ops",
    ),
    Metric(
        "load_time",
        "load time",
        "load times",
        unit="s",
        needs="load",
        owner="all ops",
        has_level=False,
    ),
    Metric(
        "task_time",
        "task time",
        "task times",
        unit="s",
        needs="task",
        owner="task",
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
        which_task="that searches",
        hint="add least to the task, or claim its task_time",
    ),
)
METRICS = {metric.key: metric for metric in _ROWS}
METRIC_ORDER = {key: place for place, key in enumerate(METRICS)}
LATENCIES = {key: row.quantile for key, row in METRICS.items() if row.quantile is not None}


MetricKey = Annotated[str, AfterValidator(partial(refuse_other, known=METRICS))]


@dataclass(frozen=True)
class TaskFigure:
    """What a trial tells of a task besides its metrics; each trial's must be within a claim's
    bounds. `unit` follows the value.
    """

    key: str
    noun: str
    unit: str
    of_one_statement: bool = True


TASK_FIGURES = {
    figure.key: figure
    for figure in (
        TaskFigure(
            "progress_error", "points by which reported progress is off at worst", unit=" points"
        ),
        TaskFigure("row_log_peak", "percent to which the row log gets full", unit=" %"),
        TaskFigure("failed", "failures", unit="", of_one_statement=False),
    )
}


FigureKey = Annotated[str, AfterValidator(partial(refuse_other, known=TASK_FIGURES))]
