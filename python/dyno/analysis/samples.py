"""Stored trials as figures: values by arm, op, point, metric and block.

Statements give times. Loads give throughputs and latencies, tasks their times and what a load kept
beside them; a trial that is void gives none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median

from dyno.analysis.load_trial import LoadTrial, measured, read_load
from dyno.analysis.table_size import bytes_per_row
from dyno.analysis.tasks_beside import load_values
from dyno.spec.claims import headline, headline_ops
from dyno.spec.linkbench import LISTS
from dyno.spec.plan import Comparison, Metric, Plan, Quantity
from dyno.spec.tpcc import NEW_ORDER, ROLLBACK
from dyno.stats import Contrasts, block_contrasts, evenness
from dyno.store.run import RunFolder
from dyno.store.trial import Trial

# Quantiles with a metric of their own, and where a trial's summary has them.
QUANTILES: dict[Metric, tuple[float, str]] = {
    "p50": (0.5, "p50_ns"),
    "p95": (0.95, "p95_ns"),
    "p99": (0.99, "p99_ns"),
    "p999": (0.999, "p999_ns"),
}
BEYOND = 100


@dataclass
class Samples:
    """`values[quantity][block]`; of times in seconds the median over a trial's rounds, of
    throughputs ops a second, of new orders those a minute, of latencies milliseconds, of tasks
    that came to their end seconds, ops a second beside them, and those as a share; of those that
    search the least value.

    `loads` are the good load trials as arrays; `cuts_s[point, block]` is where the warm-up ended
    of all arms there. `empty`: good trials that still gave no throughput.
    """

    values: dict[Quantity, dict[int, float]] = field(default_factory=dict)
    trials: list[Trial] = field(default_factory=list)
    loads: list[LoadTrial] = field(default_factory=list)
    cuts_s: dict[tuple[int, int], float] = field(default_factory=dict)
    empty: list[Trial] = field(default_factory=list)

    def of(self, quantity: Quantity) -> dict[int, float]:
        """Values by block of one quantity; empty if there are none."""
        return self.values.get(quantity, {})

    def contrasts(self, comparison: Comparison) -> Contrasts:
        """Log-ratios by block, for the blocks in which both quantities were measured."""
        return block_contrasts(self.of(comparison.numerator), self.of(comparison.denominator))

    @property
    def ok(self) -> list[Trial]:
        """Trials that gave figures."""
        return [trial for trial in self.trials if trial.is_good]

    def at(self, arm: str, point: int) -> list[LoadTrial]:
        """The good load trials of an arm at a point."""
        return [load for load in self.loads if (load.trial.arm, load.trial.point) == (arm, point)]

    def cut_s(self, trial: Trial) -> float:
        """Where the figures of a trial begin."""
        return self.cuts_s.get((trial.point, trial.block), 0.0)

    def add(self, value: float, *, trial: Trial, op: str, metric: Metric) -> None:
        """Note the value of a trial."""
        key = Quantity(arm=trial.arm, op=op, point=trial.point, metric=metric)
        self.values.setdefault(key, {})[trial.block] = value


def gather(plan: Plan, folder: RunFolder) -> Samples:
    """All trials of a run as samples."""
    samples = Samples(trials=list(folder.trials()))
    if plan.is_load:
        _gather_loads(samples, folder, plan)
    else:
        for trial in samples.ok:
            _gather_times(samples, trial)
    for trial in samples.ok:
        _gather_tasks(samples, trial)
    return samples


def _gather_tasks(samples: Samples, trial: Trial) -> None:
    """A task that failed took no time that another's could be compared with; a search that never
    failed has a bound in the place of a value.
    """
    for run in trial.tasks:
        if run.least is not None:
            if not run.never_failed:
                samples.add(run.least, trial=trial, op=run.name, metric="task_least")
        elif run.outcome == "ok" and run.elapsed_s > 0:
            samples.add(run.elapsed_s, trial=trial, op=run.name, metric="task_time")


def _gather_times(samples: Samples, trial: Trial) -> None:
    for op in {run.statement for run in trial.statements}:
        times_ns = trial.latencies_ns(op)
        if times_ns:
            samples.add(median(times_ns) / 1e9, trial=trial, op=op, metric="time")


def _gather_loads(samples: Samples, folder: RunFolder, plan: Plan) -> None:
    """Both arms of a block and point begin at the later of their cuts, so none gains by it."""
    for trial in samples.ok:
        load = read_load(folder, trial, duration_s=plan.protocol.duration)
        if load is None:
            samples.empty.append(trial)
            continue
        samples.loads.append(load)
        place = (trial.point, trial.block)
        samples.cuts_s[place] = max(samples.cuts_s.get(place, 0.0), load.cut_s)
    for load in samples.loads:
        _throughputs(samples, load, headline(plan.workload))
        _latencies(samples, load.trial)
        _sizes(samples, load.trial)
        _of_all_ops(samples, load, headline_ops(plan.workload))
        for metric, task, value in load_values(load, plan):
            samples.add(value, trial=load.trial, op=task, metric=metric)


def _throughputs(samples: Samples, load: LoadTrial, rate: Metric) -> None:
    """A throughput of 0 has no ratio: the trial is named instead. A New-Order that rolls back as it
    should is a new order, too.
    """
    found = {op: load.throughput(op, cut_s=samples.cut_s(load.trial)) for op in load.ok}
    if not any(found.values()):
        samples.empty.append(load.trial)
    for op, value in found.items():
        if value:
            samples.add(value, trial=load.trial, op=op, metric="throughput")
    new_orders = (found.get(NEW_ORDER) or 0.0) + (found.get(ROLLBACK) or 0.0)
    if rate == "new_orders_per_min" and new_orders:
        samples.add(new_orders * 60, trial=load.trial, op=NEW_ORDER, metric=rate)
    total = sum(value or 0.0 for value in found.values())
    if rate == "total_throughput" and total:
        samples.add(total, trial=load.trial, op=LISTS, metric=rate)


def _latencies(samples: Samples, trial: Trial) -> None:
    """Quantiles of the whole measure phase, as far as the number of ops carries them."""
    phase = measured(trial)
    for op in phase.ops if phase else []:
        if op.outcome != "ok":
            continue
        for metric, (quantile, key) in QUANTILES.items():
            value_ns = getattr(op, key)
            if carries(op.count, quantile) and value_ns > 0:
                samples.add(value_ns / 1e6, trial=trial, op=op.op, metric=metric)


def _sizes(samples: Samples, trial: Trial) -> None:
    """A table isn't one op's, so its size is noted with each."""
    value = bytes_per_row(trial)
    phase = measured(trial)
    if value is not None and phase is not None:
        for op in {op.op for op in phase.ops}:
            samples.add(value, trial=trial, op=op, metric="bytes_per_row")


def _of_all_ops(samples: Samples, load: LoadTrial, ops: list[str]) -> None:
    """What is no single op's and goes by the headline's: how the throughput of seconds varies, over
    the whole measure phase as in `stability`, and the load of the data, which has no point.
    """
    even, loading = evenness(load.ok_per_s), load.trial.loading
    for op in ops:
        if even is not None and even.cv > 0:
            samples.add(even.cv, trial=load.trial, op=op, metric="steadiness")
        if loading is not None:
            key = Quantity(arm=load.trial.arm, op=op, metric="load_time")
            samples.values.setdefault(key, {})[load.trial.block] = loading.load_s


def carries(count: int, quantile: float) -> bool:
    """Whether so many ops tell a quantile: a hundred must lie beyond it (statistics.md 1.15)."""
    return round(count * (1 - quantile), 6) >= BEYOND
