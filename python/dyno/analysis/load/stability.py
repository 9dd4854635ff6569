"""How evenly each arm ran: steady after its warm-up, variation of seconds, stalls.

Over the whole measure phase, warm-up included: a stall within the warm-up isn't in the figures, but
it is a stall all the same. Steadiness of a trial is judged after the cut.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from statistics import median

from dyno.analysis.load.model import StabilityRead
from dyno.analysis.load.trial import LoadTrial
from dyno.analysis.samples import Samples
from dyno.spec.plan import Plan
from dyno.stats import Stalls, evenness, find_stalls
from dyno.store.run import BIN_S


def stability(plan: Plan, samples: Samples) -> Iterator[StabilityRead]:
    """By point and arm; none for statements."""
    for point, level in enumerate(plan.points):
        for arm in plan.arms:
            loads = samples.at(arm.name, point)
            if loads:
                yield _stability(arm.name, point, loads, level.rate_per_s)


def _stability(
    arm: str, point: int, loads: list[LoadTrial], rate_per_s: float | None
) -> StabilityRead:
    judged = [load.steadiness for load in loads if load.steadiness.known]
    even = [e for e in (evenness(load.ok_per_s) for load in loads) if e is not None]
    stalls = [s for s in (stalls_of(load, rate_per_s) for load in loads) if s is not None]
    every = [stall for found in stalls for stall in found.stalls]
    owners = Counter(stall.owner for stall in every)
    own = [stall for stall in every if stall.owner == "server"]
    slow = Counter(span.owner for found in stalls for span in found.slowdowns)
    return StabilityRead(
        arm=arm,
        point=point,
        trials=len(loads),
        not_steady=sum(not s.steady for s in judged) if judged else None,
        cv=median(e.cv for e in even) if even else None,
        worst_second_share=median(e.worst_share for e in even) if even else None,
        p1_second_share=median(e.p1_share for e in even) if even else None,
        stalls=len(own) if stalls else None,
        stalled_share=sum(stall.server_s for stall in own) / sum(s.watched_s for s in stalls)
        if stalls
        else None,
        longest_stall_s=max((stall.server_s for stall in own), default=None),
        environment_stalls=owners["host"] if stalls else None,
        unknown_stalls=owners["unknown"] if stalls else None,
        slowdowns=slow["server"] if stalls else None,
    )


def stalls_of(load: LoadTrial, rate_per_s: float | None) -> Stalls | None:
    """A trial's stalls; None if tenths of a second weren't recorded, or show nothing."""
    if load.bins is None:
        return None
    expected = None if rate_per_s is None else rate_per_s * BIN_S
    return find_stalls(load.bins, expected=expected, late_ms=load.late_ms)


def unsteady(plan: Plan, samples: Samples) -> tuple[int, int, list[str]]:
    """Trials that weren't steady, and how many could be judged; and a line for each arm and point
    where some weren't, with the most common reason.
    """
    count, known, lines = 0, 0, []
    for point, level in enumerate(plan.points):
        for arm in plan.arms:
            loads = samples.at(arm.name, point)
            judged = [load.steadiness for load in loads if load.steadiness.known]
            wrong = [s for s in judged if not s.steady]
            known += len(judged)
            count += len(wrong)
            if wrong:
                reasons = Counter(reason for s in wrong for reason in s.reasons)
                lines.append(
                    f"{arm.name}, {level.label}: {len(wrong)} of {len(judged)}; "
                    f"such as: {reasons.most_common(1)[0][0]}"
                )
    return count, known, lines
