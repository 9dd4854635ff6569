"""The drawn inputs of a tpcc run against the specification's audit ranges.

A test of our own client: each figure is a share with its 99 % interval at the n seen.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from dyno.analysis.load.phases import Phases, counted, groups
from dyno.analysis.tpcc.model import AuditState, TpccAudit
from dyno.spec.plan import Plan
from dyno.spec.summary import PhaseSummary
from dyno.spec.tpcc import NEW_ORDER, ROLLBACK, TpccWorkload
from dyno.stats import mean_of_known_spread, wilson

# For a mean, not a share. Lines are drawn evenly from 5 to 15: their deviation is known.
LINES = "lines of an order"
LINES_DEVIATION = math.sqrt((11**2 - 1) / 12)


@dataclass(frozen=True)
class Figure:
    """A figure's words and range; remote ones need a second warehouse."""

    name: str
    low: float
    high: float
    remote: bool = False


ROLLBACKS = Figure("rollbacks among new orders", 0.009, 0.011)
REMOTE_LINES = Figure("remote among order lines", 0.0095, 0.0105, remote=True)
LINES_AN_ORDER = Figure(LINES, 9.5, 10.5)
REMOTE_PAYMENTS = Figure("remote among payments", 0.14, 0.16, remote=True)
PAYMENTS_BY_NAME = Figure("by name among payments", 0.57, 0.63)
STATUSES_BY_NAME = Figure("by name among order statuses", 0.57, 0.63)


def audit(plan: Plan, workload: TpccWorkload, phases: Phases) -> Iterator[TpccAudit]:
    """For a sweep by arm over all points first, then by point and arm."""
    for arm, point, found in groups(plan, phases):
        for figure, seen, n in _counts(found):
            yield _judged(arm, point, figure, seen, n, alone=workload.warehouses == 1)


def _counts(phases: list[PhaseSummary]) -> Iterator[tuple[Figure, int | None, int]]:
    """Each figure with its count, None if a trial lacks it, and the total that it is a share of."""

    def ok(*names: str) -> int:
        return sum(
            op.count
            for phase in phases
            for op in phase.ops
            if op.op in names and op.outcome == "ok"
        )

    orders, payments = ok(NEW_ORDER, ROLLBACK), ok("payment")
    lines = counted(phases, "order_lines")
    yield ROLLBACKS, ok(ROLLBACK), orders
    yield REMOTE_LINES, counted(phases, "remote_order_lines"), lines or 0
    yield LINES_AN_ORDER, lines, orders
    yield REMOTE_PAYMENTS, counted(phases, "remote_payments"), payments
    yield PAYMENTS_BY_NAME, counted(phases, "payments_by_name"), payments
    yield STATUSES_BY_NAME, counted(phases, "order_statuses_by_name"), ok("order_status")


def _judged(
    arm: str, point: int | None, figure: Figure, seen: int | None, n: int, *, alone: bool
) -> TpccAudit:
    known = seen is not None and n > 0
    sure = _interval(figure, seen or 0, n) if known else None
    impossible = known and sure is None
    value = (seen or 0) / n if known else None
    return TpccAudit(
        arm=arm,
        point=point,
        figure=figure.name,
        value=value,
        n=n,
        low=figure.low,
        high=figure.high,
        sure_low=sure[0] if sure else None,
        sure_high=sure[1] if sure else None,
        state=_state(figure, sure, none=figure.remote and alone, impossible=impossible),
    )


def _interval(figure: Figure, seen: int, n: int) -> tuple[float, float] | None:
    """None for more than all, which only a client that counts wrongly reports."""
    if figure.name != LINES:
        return wilson(seen, n) if seen <= n else None
    return mean_of_known_spread(seen, n, LINES_DEVIATION)


def _state(
    figure: Figure, sure: tuple[float, float] | None, *, none: bool, impossible: bool
) -> AuditState:
    if none:
        return "not applicable"
    if sure is None:
        return "out of range" if impossible else "too few"
    low, high = sure
    if figure.low <= low and high <= figure.high:
        return "in range"
    return "out of range" if high < figure.low or low > figure.high else "too few"
