"""A load plan as several, one for each load host, which together do what the one would do."""

from __future__ import annotations

from collections.abc import Sequence

from dyno.errors import SpecError
from dyno.spec.changed import changed
from dyno.spec.load_plan import LoadPlan, Observe, Share, Target, trial_plan
from dyno.spec.plan import Plan


def split(plan: LoadPlan, weights: Sequence[float]) -> list[LoadPlan]:
    """A plan for each host, with connections in proportion to the hosts' weights, all above 0. With
    fewer connections than hosts, there are plans for the first hosts alone, a connection for each.

    They begin each phase when they are sent `go`; the first host observes the server. One host gets
    the plan as it is. Raises SpecError for a plan that can't be split.
    """
    if len(weights) > 1:
        _refuse(plan)
    busy = weights[: plan.connections]
    if len(busy) == 1:
        return [plan]
    plans = []
    first = 0
    for number, count in enumerate(_counts(plan.connections, busy)):
        share = Share(first=first, of=plan.connections)
        observe = plan.observe if number == 0 else Observe()
        part = changed(plan, connections=count, share=share, start="go", observe=observe)
        plans.append(part)
        first += count
    return plans


def refuse_unsplittable(plan: Plan, hosts: int) -> None:
    """Raise SpecError if some trial of a plan can't be shared by so many hosts."""
    target = Target(noop=True)
    for point in range(len(plan.points)):
        split(trial_plan(plan, plan.arms[0], target, point=point), [1.0] * hosts)


def _refuse(plan: LoadPlan) -> None:
    if plan.workload.kind == "statements":
        raise SpecError(
            "statements are run by one host", hint="use one load host for this experiment"
        )
    for phase in plan.phases:
        if phase.name == "load" or phase.search is not None:
            raise SpecError(
                f"the phase {phase.name!r} is run by one host", hint="use one load host for it"
            )


def _counts(connections: int, weights: Sequence[float]) -> list[int]:
    """Whole numbers that sum to the connections, at least 1 each; by largest remainder."""
    free = connections - len(weights)
    shares = [free * weight / sum(weights) for weight in weights]
    counts = [int(share) for share in shares]
    order = sorted(range(len(weights)), key=lambda at: (counts[at] - shares[at], at))
    for at in order[: free - sum(counts)]:
        counts[at] += 1
    return [1 + count for count in counts]
