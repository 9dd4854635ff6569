"""What is taken from one trial: the values of metrics, each with its op or task.

A new metric is a row in `spec.metrics`, and a function here that a registry lists. A trial that has
no value for it yields nothing: no figure is made up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median

from dyno.analysis.costs.of_trial import costs_of
from dyno.analysis.load.trial import LoadTrial, measured
from dyno.analysis.tables.size import bytes_per_row
from dyno.analysis.tasks.around import load_values
from dyno.spec.metrics import LATENCIES, METRICS, MetricKey
from dyno.spec.plan import Plan
from dyno.stats import evenness
from dyno.store.trial import Trial

BEYOND = 100

Value = tuple[MetricKey, str, float]
# Metrics that are costs of an op.
COSTS: dict[MetricKey, str] = {
    "server_cpu": "server_cpu_us_per_op",
    "context_switches": "context_switches_per_op",
    "written": "written_kb_per_op",
}


@dataclass(frozen=True)
class Loaded:
    """A good load trial; `per_s[op]` is its throughput once the warm-up of its block is cut off."""

    load: LoadTrial
    plan: Plan
    per_s: dict[str, float]

    @property
    def trial(self) -> Trial:
        """The trial itself."""
        return self.load.trial


def times(trial: Trial, plan: Plan) -> Iterator[Value]:
    """The time of each statement, in seconds: the median over a trial's rounds."""
    if plan.is_load:
        return
    for op in {run.statement for run in trial.statements}:
        times_ns = trial.latencies_ns(op)
        if times_ns:
            yield "time", op, median(times_ns) / 1e9


def of_tasks(trial: Trial, _plan: Plan) -> Iterator[Value]:
    """A failed task has no time that could be compared; a search that never failed has a bound
    instead of a value.
    """
    for run in trial.tasks:
        if run.least is not None:
            if not run.never_failed:
                yield "task_least", run.name, run.least
        elif run.outcome == "ok" and run.elapsed_s > 0:
            yield "task_time", run.name, run.elapsed_s


def throughputs(of: Loaded) -> Iterator[Value]:
    """Ops per second by op. A throughput of 0 has no ratio."""
    for op, value in of.per_s.items():
        if value:
            yield "throughput", op, value


def headline_rate(of: Loaded) -> Iterator[Value]:
    """The combined rate of several ops, if that is the workload's figure."""
    workload = of.plan.workload
    rate = METRICS[workload.headline]
    if rate.owner != "all ops":
        return
    total = sum(per_s for op, per_s in of.per_s.items() if op in workload.counted_ops)
    if total:
        for op in workload.headline_ops:
            yield rate.key, op, total * rate.per_s


def latencies(of: Loaded) -> Iterator[Value]:
    """Quantiles of the whole measure phase in ms, as far as the number of ops supports them."""
    phase = measured(of.trial)
    for op in phase.ops if phase else []:
        if op.outcome != "ok":
            continue
        for key, quantile in LATENCIES.items():
            value_ns = getattr(op, f"{key}_ns")
            if carries(op.count, quantile) and value_ns > 0:
                yield key, op.op, value_ns / 1e6


def costs(of: Loaded) -> Iterator[Value]:
    """What an op cost. A cost of 0 has no ratio."""
    found = costs_of(of.trial, set()) or {}
    for metric, key in COSTS.items():
        if value := found.get(key):
            for op in of.plan.workload.headline_ops:
                yield metric, op, value


def sizes(of: Loaded) -> Iterator[Value]:
    """A table doesn't belong to one op, so its size is noted with each."""
    value = bytes_per_row(of.trial)
    phase = measured(of.trial)
    if value is not None and phase is not None:
        for op in {op.op for op in phase.ops}:
            yield "bytes_per_row", op, value


def steadiness(of: Loaded) -> Iterator[Value]:
    """How the throughput of seconds varies, over the whole measure phase as in `stability`."""
    even = evenness(of.load.ok_per_s)
    if even is not None and even.cv > 0:
        for op in of.plan.workload.headline_ops:
            yield "steadiness", op, even.cv


def load_times(of: Loaded) -> Iterator[Value]:
    """How long the data took to load, in seconds, for trials that begin with it."""
    if of.trial.loading is not None:
        for op in of.plan.workload.headline_ops:
            yield "load_time", op, of.trial.loading.load_s


def beside_tasks(of: Loaded) -> Iterator[Value]:
    """What the load kept while tasks ran."""
    return load_values(of.load, of.plan)


OF_TRIALS: tuple[Callable[[Trial, Plan], Iterator[Value]], ...] = (times, of_tasks)
OF_LOADS: tuple[Callable[[Loaded], Iterator[Value]], ...] = (
    throughputs,
    headline_rate,
    latencies,
    costs,
    sizes,
    steadiness,
    load_times,
    beside_tasks,
)


def carries(count: int, quantile: float) -> bool:
    """Whether n ops support a quantile: a hundred must lie beyond it (statistics.md 1.15)."""
    return round(count * (1 - quantile), 6) >= BEYOND
