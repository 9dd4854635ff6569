"""Stored trials as figures: values by arm, op, point, metric and block.

Statements give times. Loads give throughputs and latencies, tasks their times and what a load kept
beside them; a trial that is void gives none.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from dyno.analysis.load.trial import LoadTrial, read_load
from dyno.analysis.measures import OF_LOADS, OF_TRIALS, Loaded, Value
from dyno.spec.metrics import METRICS
from dyno.spec.plan import Comparison, Plan, Quantity
from dyno.stats import Contrasts, block_contrasts
from dyno.store.run import RunFolder
from dyno.store.trial import Trial


@dataclass
class Samples:
    """`values[quantity][block]`, in the unit of the quantity's metric.

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

    def add(self, trial: Trial, values: Iterable[Value]) -> None:
        """File the values of a trial; what has no level stands at the first point."""
        for metric, op, value in values:
            point = trial.point if METRICS[metric].has_level else 0
            key = Quantity(arm=trial.arm, op=op, point=point, metric=metric)
            self.values.setdefault(key, {})[trial.block] = value


def gather(plan: Plan, folder: RunFolder) -> Samples:
    """All trials of a run as samples."""
    samples = Samples(trials=list(folder.trials()))
    if plan.is_load:
        _gather_loads(samples, folder, plan)
    for trial in samples.ok:
        for measure in OF_TRIALS:
            samples.add(trial, measure(trial, plan))
    return samples


def _gather_loads(samples: Samples, folder: RunFolder, plan: Plan) -> None:
    """Both arms of a block and point begin at the later of their cuts, so none gains by it. A trial
    whose throughput is 0 is named, since it has no ratio.
    """
    for trial in samples.ok:
        load = read_load(folder, trial, duration_s=plan.protocol.duration)
        if load is None:
            samples.empty.append(trial)
            continue
        samples.loads.append(load)
        place = (trial.point, trial.block)
        samples.cuts_s[place] = max(samples.cuts_s.get(place, 0.0), load.cut_s)
    for load in samples.loads:
        cut_s = samples.cut_s(load.trial)
        per_s = {op: load.throughput(op, cut_s=cut_s) or 0.0 for op in load.ok}
        if not any(per_s.values()):
            samples.empty.append(load.trial)
        loaded = Loaded(load, plan, per_s)
        for measure in OF_LOADS:
            samples.add(load.trial, measure(loaded))
