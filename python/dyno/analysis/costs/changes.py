"""What an op costs on each arm, over what it costs on the baseline: ratios of blocks, with
intervals like those of every comparison.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import median

from dyno.analysis.costs.model import CostChange
from dyno.analysis.costs.of_trial import KEYS, costs_of
from dyno.analysis.costs.per_op import status_known
from dyno.analysis.samples import Samples
from dyno.analysis.verdicts.compare import looks_at
from dyno.spec.plan import Plan
from dyno.stats import Design, block_contrasts

# By arm and point, then by cost, then by block.
Values = dict[tuple[str, int], dict[str, dict[int, float]]]


def cost_changes(
    plan: Plan, samples: Samples, design: Design, *, over: bool
) -> Iterator[CostChange]:
    """By point, arm and cost, for loads. A cost that is 0 or unknown in a block has no ratio there;
    one without any is left out.
    """
    if not plan.is_load:
        return
    values = _values(plan, samples)
    baseline = plan.baseline.name
    for point in range(len(plan.points)):
        theirs = values.get((baseline, point), {})
        for arm in plan.arms:
            if arm.name == baseline:
                continue
            ours = values.get((arm.name, point), {})
            for cost in KEYS:
                contrasts = block_contrasts(ours.get(cost, {}), theirs.get(cost, {}))
                if not contrasts.blocks:
                    continue
                looks = looks_at(contrasts, design, over=over)
                look = looks[-1] if looks else None
                yield CostChange(
                    arm=arm.name,
                    baseline=baseline,
                    point=point,
                    cost=cost,
                    n=look.n if look else len(contrasts.blocks),
                    ratio=look.estimate.through(math.exp) if look else None,
                )


def _values(plan: Plan, samples: Samples) -> Values:
    """Of slices the median of their block."""
    known = status_known(plan, samples)
    each: dict[tuple[str, int], dict[str, dict[int, list[float]]]] = {}
    for trial in samples.ok:
        costs = costs_of(trial, known.get(plan.arm(trial.arm).server, set())) or {}
        place = each.setdefault((trial.arm, trial.point), {})
        for cost, value in costs.items():
            if value:
                place.setdefault(cost, {}).setdefault(trial.block, []).append(value)
    return {
        place: {
            cost: {block: median(values) for block, values in blocks.items()}
            for cost, blocks in costs.items()
        }
        for place, costs in each.items()
    }
