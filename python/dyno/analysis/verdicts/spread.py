"""Where a comparison's spread comes from, and what would narrow its interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median

import numpy as np
import numpy.typing as npt

from dyno.analysis.load.trial import LoadTrial
from dyno.analysis.samples import Samples
from dyno.analysis.verdicts.model import SpreadRead
from dyno.analysis.verdicts.wording import percent
from dyno.spec.metrics import METRICS
from dyno.spec.plan import Comparison, Plan, Quantity
from dyno.spec.units import format_duration, plural
from dyno.stats import (
    Components,
    Contrasts,
    Design,
    Look,
    Narrowed,
    Proposal,
    components,
    propose,
)
from dyno.stats import relative_error as error_of_mean
from dyno.store.trial import Trial

ROUNDS_FEWEST = 3
# The error of a median, and of the Hodges-Lehmann estimate, over that of a mean, for normal values.
MEDIAN_ERROR = math.sqrt(math.pi / 2)
HODGES_LEHMANN_ERROR = math.sqrt(math.pi / 3)


@dataclass(frozen=True)
class Trials:
    """The good trials by arm, point and block. `length_s` is what can be made longer in a block:
    the trial, or all slices together; `overhead_s` is what an arm takes there in addition.
    """

    plan: Plan
    samples: Samples
    trials: dict[tuple[str, int, int], Trial]
    loads: dict[tuple[str, int, int], LoadTrial]
    length_s: float
    overhead_s: float

    @classmethod
    def of(cls, plan: Plan, samples: Samples) -> Trials:
        """The trials of a run."""
        protocol = plan.protocol
        whole_s = median([trial.duration_s for trial in samples.ok] or [0.0])
        length_s, overhead_s = protocol.duration, whole_s - protocol.duration * plan.is_load
        if protocol.slices > 1:
            starts_s = [trial.steps["start"] for trial in samples.ok if "start" in trial.steps]
            length_s = protocol.slices * whole_s
            overhead_s = protocol.warmup * plan.is_load + median(starts_s or [0.0])
        return cls(
            plan,
            samples,
            {(t.arm, t.point, t.block): t for t in samples.ok},
            {(load.trial.arm, load.trial.point, load.trial.block): load for load in samples.loads},
            length_s,
            max(0.0, overhead_s),
        )

    def errors(self, comparison: Comparison, block: int) -> list[float | None]:
        """The relative errors of both sides of a block's contrast."""
        sides = (comparison.numerator, comparison.denominator)
        if self.plan.protocol.slices == 1:
            return [self.error(quantity, block) for quantity in sides]
        ratios = self.samples.side_by_side(comparison, block)
        both = None if ratios is None else _of_center(ratios, HODGES_LEHMANN_ERROR)
        return [None if both is None else both / math.sqrt(2)] * 2

    def error(self, quantity: Quantity, block: int) -> float | None:
        """The relative error that the length of a trial leaves; None if unknown."""
        place = (quantity.arm, quantity.point, block)
        if quantity.metric == "time":
            trial = self.trials.get(place)
            return None if trial is None else _of_rounds(trial.latencies_ns(quantity.op))
        load = self.loads.get(place)
        if load is None or not METRICS[quantity.metric].is_rate:
            return None
        ops = [quantity.op]
        if METRICS[quantity.metric].owner == "all ops":
            ops = [op for op in load.ok if op in self.plan.workload.counted_ops]
        elif METRICS[quantity.metric].owner == "task":
            return None
        counted = [load.ok[op] for op in ops if op in load.ok]
        if not counted:
            return None
        return error_of_mean(np.sum(counted, axis=0)[load.after(self.samples.cut_s(load.trial)) :])


def _of_rounds(times_ns: list[int]) -> float | None:
    """For the median of a statement's rounds, from their own spread."""
    return None if min(times_ns, default=0) <= 0 else _of_center(np.log(times_ns), MEDIAN_ERROR)


def _of_center(values: npt.NDArray[np.float64], to_mean: float) -> float | None:
    """The error of an estimate that has `to_mean` times that of a mean."""
    if len(values) < ROUNDS_FEWEST:
        return None
    return to_mean * float(np.std(values, ddof=1)) / math.sqrt(len(values))


def spread_of(
    trials: Trials, comparison: Comparison, contrasts: Contrasts, look: Look, design: Design
) -> SpreadRead | None:
    """The parts of the spread, and a proposal; None for too few blocks to have an interval."""
    errors = [error for block in contrasts.blocks for error in trials.errors(comparison, block)]
    found = components(contrasts.values, errors)
    if found is None or not math.isfinite(look.estimate.half_width):
        return None
    protocol = trials.plan.protocol
    is_timed = protocol.slices > 1 or (trials.plan.is_load and not trials.plan.tasks)
    proposal = propose(
        found,
        half_width=look.estimate.half_width,
        target=design.target,
        p_star=design.p_star,
        last=design.last,
        length_s=trials.length_s if is_timed else None,
        overhead_s=trials.overhead_s,
    )
    return SpreadRead(
        block=math.expm1(found.block),
        within=None if found.within is None else math.expm1(found.within),
        between=None if found.between is None else math.expm1(found.between),
        by=proposal.by.value,
        says=_says(proposal, design, found, trials),
    )


def _says(proposal: Proposal, design: Design, found: Components, trials: Trials) -> str:
    """What would bring the interval to the target."""
    slices = trials.plan.protocol.slices
    to = f"±{percent(design.target)}"
    blocks = plural(proposal.blocks or 0, "block")
    match proposal.by:
        case Narrowed.ENOUGH:
            return f"The interval is within {to}."
        case Narrowed.BLOCKS:
            return f"About {blocks} in all would bring it to {to}."
        case Narrowed.LONGER | Narrowed.SHORTER:
            share = f"{proposal.share or 0.0:.0%} of the time that"
            if slices > 1:
                wanted = round((proposal.length_s or 0.0) / trials.length_s * slices)
                return (
                    f"About {blocks} of {plural(max(1, wanted), 'slice')} would bring it to {to}, "
                    f"in {share} blocks of {slices} slices need."
                )
            length = format_duration(round(proposal.length_s or 0.0))
            return (
                f"About {blocks} of trials of {length} would bring it to {to}, in {share} trials "
                "of today's length need."
            )
        case _:
            differ = f"blocks differ by {percent(found.block)}."
            if found.within is None:
                return f"{plural(design.last, 'block')}, the most, don't bring it to {to}: {differ}"
            return (
                f"Neither more blocks, of which there are {design.last} at most, nor "
                f"{'more slices' if slices > 1 else 'longer trials'} bring it to {to}: {differ}"
            )
