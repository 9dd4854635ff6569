"""What one op cost, at each point: CPU, I/O, statements and rows, from totals of the measure phase.

A total over its ops, so nothing is sampled; medians over the trials. None where unknown.
"""

from __future__ import annotations

from collections.abc import Iterator

from dyno.analysis.costs.model import PerOp
from dyno.analysis.costs.of_trial import KEYS, Costs, costs_of
from dyno.analysis.load.trial import MEASURE
from dyno.analysis.samples import Samples
from dyno.analysis.values import median_of_known
from dyno.spec.plan import Plan
from dyno.spec.server_ref import ServerRef

# By arm and point, each trial's block and what an op cost in it.
CostsOfTrials = dict[tuple[str, int], list[tuple[int, Costs]]]


def costs_of_trials(plan: Plan, samples: Samples) -> CostsOfTrials:
    """What an op cost in each trial of a load; none for statements."""
    found: CostsOfTrials = {}
    if not plan.is_load:
        return found
    moved = status_known(plan, samples)
    for trial in samples.ok:
        costs = costs_of(trial, moved.get(plan.arm(trial.arm).server, set()))
        if costs is not None:
            found.setdefault((trial.arm, trial.point), []).append((trial.block, costs))
    return found


def per_op(plan: Plan, costs: CostsOfTrials) -> Iterator[PerOp]:
    """By point and arm."""
    for point in range(len(plan.points)):
        for arm in plan.arms:
            found = [figures for _, figures in costs.get((arm.name, point), [])]
            if found:
                yield PerOp(
                    arm=arm.name,
                    point=point,
                    figures={
                        key: median_of_known(figures[key] for figures in found) for key in KEYS
                    },
                )


def status_known(plan: Plan, samples: Samples) -> dict[ServerRef, set[str]]:
    """The status counters that each server has: those that moved in any of its trials.

    Only differences other than 0 are stored. So a counter that is absent from a trial is 0 if the
    server has it, and unknown if it was never seen to move.
    """
    found: dict[ServerRef, set[str]] = {}
    for trial in samples.ok:
        deltas = trial.status_by_phase.get(MEASURE, {})
        found.setdefault(plan.arm(trial.arm).server, set()).update(deltas)
    return found
