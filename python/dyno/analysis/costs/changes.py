"""What an op costs on each arm, over what it costs on the baseline: ratios of blocks, with
intervals like those of every comparison.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import median

from dyno.analysis.costs.model import CostChange
from dyno.analysis.costs.of_trial import KEYS, Costs
from dyno.analysis.costs.per_op import CostsOfTrials
from dyno.analysis.verdicts.compare import ratio_so_far
from dyno.spec.plan import Plan
from dyno.stats import Design, block_contrasts


def cost_changes(
    plan: Plan, costs: CostsOfTrials, design: Design, *, over: bool
) -> Iterator[CostChange]:
    """By point, arm and cost. A cost that is 0 or unknown in a block has no ratio there; one
    without any is left out.
    """
    if not costs:
        return
    values = {place: _by_block(trials) for place, trials in costs.items()}
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
                n, ratio = ratio_so_far(contrasts, design, over=over)
                yield CostChange(
                    arm=arm.name,
                    baseline=baseline,
                    point=point,
                    cost=cost,
                    n=n,
                    ratio=ratio.through(math.exp) if ratio else None,
                )


def _by_block(trials: Sequence[tuple[int, Costs]]) -> dict[str, dict[int, float]]:
    """The values of each cost; of slices the median of their block."""
    each: dict[str, dict[int, list[float]]] = {}
    for block, costs in trials:
        for cost, value in costs.items():
            if value:
                each.setdefault(cost, {}).setdefault(block, []).append(value)
    return {
        cost: {block: median(values) for block, values in blocks.items()}
        for cost, blocks in each.items()
    }
