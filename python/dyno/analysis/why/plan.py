"""From a finished run and one of its differences to the plan that explains it."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any

from dyno.analysis.model import Findings
from dyno.analysis.verdicts.model import Compared
from dyno.analysis.why.answered import SEARCH
from dyno.analysis.why.factors import Found, tables_can_be_swapped
from dyno.errors import SpecError
from dyno.spec.address import Address
from dyno.spec.changed import changed
from dyno.spec.experiment import Arm
from dyno.spec.metrics import METRICS
from dyno.spec.plan import Plan
from dyno.spec.protocol import ROUNDS_MAX, Protocol
from dyno.spec.quantity import Comparison, Quantity
from dyno.spec.why import Explained

# What can be explained: the time of an op or a task, and rates; on request any cost of all ops.
_KINDS = ("time", "throughput", "task_time")
# A trial of a search for causes of a load's time only has to show that the data can be used.
_BRIEFLY_S = 3.0
_EACH_BLOCK = 1_000_000


def choose(
    findings: Findings,
    *,
    arms: Sequence[str] = (),
    op: str | None = None,
    at: str | None = None,
    metric: str | None = None,
) -> Compared:
    """The comparison to explain: of those that fit, the largest difference. Raises SpecError."""
    fit = [
        compared
        for compared in findings.compared
        if compared.numerator_op == compared.denominator_op
        and compared.numerator_arm != compared.denominator_arm
        and _is_cost(compared, metric)
        and (not arms or {compared.numerator_arm, compared.denominator_arm} == set(arms))
        and (op is None or compared.numerator_op == op)
        and (at is None or compared.point_label == at)
    ]
    if not fit:
        known = {c.point_label for c in findings.compared if c.point_label}
        points = f"; points: {', '.join(sorted(known))}" if known else ""
        raise SpecError(
            "the run has no such comparison of times or throughputs",
            hint=f"see dyno report for its arms and ops{points}",
        )
    different = [c for c in fit if c.state == "different" and c.ratio is not None]
    if not different:
        raise SpecError(
            f"there is no difference to explain: {fit[0].sentence}",
            hint="--op, --at and --arms choose another comparison",
        )
    return max(different, key=lambda c: abs(math.log(c.ratio.value)) if c.ratio else 0.0)


def _is_cost(compared: Compared, metric: str | None) -> bool:
    row = METRICS[compared.metric]
    if metric is None:
        return compared.metric in _KINDS or row.is_rate
    of_all = row.owner == "all ops"
    return metric == compared.metric and (metric in _KINDS or of_all)


def explained(
    compared: Compared,
    plan: Plan,
    found: Found,
    *,
    run: str,
    seed: int,
    budget_trials: int,
    delta: float,
) -> Explained:
    """What a run will explain."""
    assert compared.ratio is not None
    first, second = compared.denominator_arm, compared.numerator_arm
    sign = -1.0 if METRICS[compared.metric].more_is_better else 1.0
    low, high = sorted(sign * math.log(end) for end in (compared.ratio.interval or (0.1, 10)))
    return Explained(
        run=run,
        experiment=plan.name,
        comparison=between(second, first, compared),
        point=compared.point_label,
        first=first,
        second=second,
        cost=sign * math.log(compared.ratio.value),
        cost_low=low,
        cost_high=high,
        n=compared.n,
        delta=delta,
        seed=seed,
        budget_trials=budget_trials,
        factors=found.factors,
        server=differ_beyond_settings(plan.arm(first), plan.arm(second)),
        left=found.left,
    )


def between(numerator: str, denominator: str, compared: Compared) -> Comparison:
    """A comparison of these two arms in the metric and op of `compared`, at the only point."""
    one, other = (
        Quantity(arm=arm, op=compared.numerator_op, metric=compared.metric)
        for arm in (numerator, denominator)
    )
    return Comparison(numerator=one, denominator=other, primary=True)


def differ_beyond_settings(first: Arm, second: Arm) -> bool:
    """Whether two arms have different servers, or tables that can't be tried on both."""
    swapped = tables_can_be_swapped(first, second)
    keys = ("server",) if swapped else ("server", "plugins", "engine", "create_options")
    return any(getattr(first, key) != getattr(second, key) for key in keys)


def refuse_others(arms: Collection[Arm]) -> None:
    """Raise SpecError for a server that someone else runs: its settings can't be changed."""
    for arm in arms:
        if isinstance(arm.server, Address):
            raise SpecError(
                f"{arm.name!r} is somebody else's server, whose settings Dyno can't change",
                hint="dyno why needs servers that Dyno starts",
            )


def why_plan(plan: Plan, point: int, target: Explained, *, budget_s: float) -> Plan:
    """The plan of the run: the two arms, one point, and no block yet."""
    arms = [plan.arm(target.first), plan.arm(target.second)]
    # Rows are compared by their cost alone; a profile would only make each trial longer.
    protocol = changed(
        in_one_piece(plan.protocol), restart="trial", loads=0, budget=budget_s, profile=False
    )
    if target.comparison.metric == "load_time":
        brief = min(_BRIEFLY_S, protocol.duration)
        protocol = changed(protocol, loads=_EACH_BLOCK, warmup=0, duration=brief)
    both = [
        changed(arm, baseline=arm.name == target.first, floor=None, extra=False) for arm in arms
    ]
    return at_point(
        plan,
        point,
        both,
        name=f"{SEARCH}{plan.name}",
        title=f"Why: {plan.title}",
        protocol=protocol,
        looks=[],
        comparisons=[target.comparison],
        orders=[],
        explains=target,
    )


def in_one_piece(protocol: Protocol) -> Protocol:
    """The protocol without slices: a trial is as long as all slices of a block together."""
    return changed(
        protocol,
        slices=1,
        duration=protocol.slices * protocol.duration,
        rounds=min(ROUNDS_MAX, protocol.slices * protocol.rounds),
    )


def at_point(plan: Plan, point: int, arms: Sequence[Arm], **changes: Any) -> Plan:
    """A run's plan at one of its points with other arms, to which none of its claims apply."""
    return changed(
        plan,
        arms=list(arms),
        points=[plan.points[point]],
        claims=[],
        left_out_claims=[],
        # Such an arm is none of those that a task names.
        tasks=[changed(task, arms=[]) for task in plan.tasks],
        control=None,
        controls=[],
        **changes,
    )
