"""Stored trials as figures: values by arm, op, point, metric and block.

Statements give times. Loads give throughputs and latencies; tasks give their times and what a load
kept beside them; a trial that is void gives none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from statistics import median
from typing import TypeVar

from dyno.analysis.load.trial import LoadTrial, read_load
from dyno.analysis.measures import OF_LOADS, OF_TRIALS, Loaded, Value
from dyno.spec.metrics import METRICS
from dyno.spec.plan import Comparison, Plan, Quantity
from dyno.stats import (
    Contrasts,
    Floats,
    block_contrasts,
    hodges_lehmann,
    paired_log_ratios,
)
from dyno.store.run import RunFolder
from dyno.store.trial import Trial

_T = TypeVar("_T")
Place = tuple[int, int]
"""The point and the slice of a trial: in a block, trials of two arms with the same one ran side by
side."""


@dataclass
class Samples:
    """`values[quantity][block]`, in the unit of the quantity's metric.

    With slices a block's value is their median, or missing if a slice lacks it: it would only
    describe the others. `slices[quantity][block]` holds the slices' own values with their places.

    `loads` are the good load trials as arrays; `cuts_s[number]` is where the warm-up of all arms
    ended at that trial's point and block, or slice. `empty`: good trials that still gave no
    throughput.
    """

    values: dict[Quantity, dict[int, float]] = field(default_factory=dict)
    trials: list[Trial] = field(default_factory=list)
    loads: list[LoadTrial] = field(default_factory=list)
    slices: dict[Quantity, dict[int, list[tuple[Place, float]]]] = field(default_factory=dict)
    cuts_s: dict[int, float] = field(default_factory=dict)
    empty: list[Trial] = field(default_factory=list)

    def of(self, quantity: Quantity) -> dict[int, float]:
        """Values by block of one quantity; empty if there are none."""
        return self.values.get(quantity, {})

    def contrasts(self, comparison: Comparison) -> Contrasts:
        """Log-ratios by block, for the blocks in which both quantities were measured.

        With slices a block's is the Hodges-Lehmann estimate over slices that ran side by side: what
        both arms saw of the host isn't in it, and where slices are fast or slow by chance, a median
        falls on either side.
        """
        found = block_contrasts(self.of(comparison.numerator), self.of(comparison.denominator))
        values = found.values.copy()
        for k, block in enumerate(found.blocks):
            ratios = self.side_by_side(comparison, block)
            if ratios is not None:
                values[k] = hodges_lehmann(ratios)
        return replace(found, values=values)

    def side_by_side(self, comparison: Comparison, block: int) -> Floats | None:
        """The log-ratios of a block's slices, in their order; None without two pairs of them."""
        sides = (comparison.numerator, comparison.denominator)
        ours, theirs = (dict(self.slices.get(side, {}).get(block, [])) for side in sides)
        return paired_log_ratios(ours, theirs)

    @property
    def ok(self) -> list[Trial]:
        """Trials that gave figures."""
        return [trial for trial in self.trials if trial.is_good]

    def first_of_arms(self, read: Callable[[Trial], _T | None]) -> dict[str, _T]:
        """By arm, what its first ok trial gives from which something can be read."""
        found: dict[str, _T] = {}
        for trial in self.ok:
            if trial.arm not in found and (value := read(trial)):
                found[trial.arm] = value
        return found

    def at(self, arm: str, point: int) -> list[LoadTrial]:
        """The good load trials of an arm at a point."""
        return [load for load in self.loads if (load.trial.arm, load.trial.point) == (arm, point)]

    def cut_s(self, trial: Trial) -> float:
        """Where the figures of a trial begin."""
        return self.cuts_s.get(trial.number, 0.0)

    def add(self, trial: Trial, place: Place, values: Iterable[Value]) -> None:
        """File the values of a trial; a value without a level is filed at the first point."""
        for metric, op, value in values:
            point = trial.point if METRICS[metric].has_level else 0
            key = Quantity(arm=trial.arm, op=op, point=point, metric=metric)
            self.slices.setdefault(key, {}).setdefault(trial.block, []).append((place, value))

    def join_slices(self) -> None:
        """Compute the values of blocks, once all trials were added."""
        good = Counter((trial.arm, trial.point, trial.block) for trial in self.ok)
        for key, blocks in self.slices.items():
            each = METRICS[key.metric].has_level
            whole = {
                block: median(value for _, value in slices)
                for block, slices in blocks.items()
                if not each or len(slices) >= good[key.arm, key.point, block]
            }
            if whole:
                self.values[key] = whole


def gather(plan: Plan, folder: RunFolder) -> Samples:
    """All trials of a run as samples."""
    samples = Samples(trials=list(folder.trials()))
    if plan.is_load:
        _gather_loads(samples, folder, plan)
    for trial in samples.ok:
        for measure in OF_TRIALS:
            samples.add(trial, _place(plan, trial), measure(trial, plan))
    samples.join_slices()
    return samples


def _place(plan: Plan, trial: Trial) -> Place:
    return trial.point, plan.slice_at(trial.position)


def _gather_loads(samples: Samples, folder: RunFolder, plan: Plan) -> None:
    """All arms of a block and point, or of a slice there, begin at the latest of their cuts, so
    that none has an advantage. A trial whose throughput is 0 is listed, since it has no ratio.
    """
    latest: dict[tuple[int, Place], float] = {}
    for trial in samples.ok:
        load = read_load(folder, trial, duration_s=plan.protocol.duration)
        if load is None:
            samples.empty.append(trial)
            continue
        samples.loads.append(load)
        beside = trial.block, _place(plan, trial)
        latest[beside] = max(latest.get(beside, 0.0), load.cut_s)
    for load in samples.loads:
        place = _place(plan, load.trial)
        cut_s = samples.cuts_s[load.trial.number] = latest[load.trial.block, place]
        per_s = {op: load.throughput(op, cut_s=cut_s) or 0.0 for op in load.ok}
        if not any(per_s.values()):
            samples.empty.append(load.trial)
        loaded = Loaded(load, plan, per_s)
        for measure in OF_LOADS:
            samples.add(load.trial, place, measure(loaded))
