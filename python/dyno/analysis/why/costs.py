"""The log cost of a trial: what rows are compared by."""

from __future__ import annotations

import math

from dyno.analysis.load.trial import read_load
from dyno.analysis.measures import OF_LOADS, OF_TRIALS, Loaded, Value
from dyno.spec.metrics import METRICS
from dyno.spec.plan import Plan
from dyno.spec.quantity import Quantity
from dyno.store.run import RunFolder
from dyno.store.trial import Trial


def cost_of(plan: Plan, folder: RunFolder, trial: Trial, quantity: Quantity) -> float | None:
    """The logarithm of what a trial's op cost: of a time, or of the inverse of a throughput. None
    if it gave no figure. Each trial is cut where its own warm-up ends.
    """
    if not trial.is_good:
        return None
    for metric, op, value in _values(plan, folder, trial):
        if (metric, op) == (quantity.metric, quantity.op) and value > 0:
            return -math.log(value) if METRICS[metric].more_is_better else math.log(value)
    return None


def _values(plan: Plan, folder: RunFolder, trial: Trial) -> list[Value]:
    found = [value for measure in OF_TRIALS for value in measure(trial, plan)]
    if not plan.is_load:
        return found
    load = read_load(folder, trial, duration_s=plan.protocol.duration)
    if load is None:
        return found
    per_s = {op: load.throughput(op, cut_s=load.cut_s) or 0.0 for op in load.ok}
    loaded = Loaded(load, plan, per_s)
    return found + [value for measure in OF_LOADS for value in measure(loaded)]
