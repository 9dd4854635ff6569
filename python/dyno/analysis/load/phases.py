"""The measure phases of a run by arm and point, and what several of them show together.

For parts of the findings that only one workload has. Rates and their intervals are computed
elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from dyno.analysis.load.trial import measured
from dyno.analysis.samples import Samples
from dyno.spec.plan import Plan
from dyno.spec.summary import OpSummary, PhaseSummary

# By arm and point, for each good trial; [] if there is none.
Phases = dict[tuple[str, int], list[PhaseSummary]]


def phases_of(plan: Plan, samples: Samples) -> Phases:
    """All measure phases, points in their order and arms within each."""
    return {
        (arm.name, point): [
            phase
            for trial in samples.ok
            if (trial.arm, trial.point) == (arm.name, point)
            and (phase := measured(trial)) is not None
        ]
        for point in range(len(plan.points))
        for arm in plan.arms
    }


def groups(plan: Plan, phases: Phases) -> Iterator[tuple[str, int | None, list[PhaseSummary]]]:
    """Arm, point and phases: for a sweep each arm over all points (None) first, then one by one.

    Empty groups are left out.
    """
    if len(plan.points) > 1:
        for arm in plan.arms:
            together = [
                phase for (name, _), found in phases.items() if name == arm.name for phase in found
            ]
            if together:
                yield arm.name, None, together
    for (name, point), found in phases.items():
        if found:
            yield name, point, found


def counted(phases: list[PhaseSummary], name: str) -> int | None:
    """The sum of a counter over the trials; None if one of them lacks it."""
    found = [phase.counters.get(name) for phase in phases]
    return None if None in found else sum(value or 0 for value in found)


def by_code(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    """Sums by error code, in the order of the codes."""
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return dict(sorted(total.items()))


def ok_ops(phases: list[PhaseSummary], *names: str) -> list[OpSummary]:
    """The entries of the phases for the ok ops of these kinds."""
    return [
        op
        for phase in phases
        for op in phase.ops
        if op.op in names and op.outcome == "ok" and op.count
    ]
