"""Findings in words: one way to say a ratio, everywhere. The reader knows which side is better:
less for times and latencies, more for throughputs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from dyno.analysis.signed import more_digits
from dyno.spec.metrics import METRICS, MetricKey
from dyno.spec.plan import Comparison, Plan, Quantity
from dyno.spec.units import plural, possessive
from dyno.stats import Estimate

# An arm needs more or less of these; any other metric is higher or lower.
TIMES: tuple[MetricKey, ...] = ("time", "task_time")


@dataclass(frozen=True)
class Words:
    """How a comparison is named: "Q2: " and "Aria", or "Aria's throughput at 64 connections".

    `whom` is the short form for after "than": "MyISAM", or "MyISAM's".
    """

    head: str
    who: str
    whom: str
    metric: MetricKey


def words(comparison: Comparison, plan: Plan) -> Words:
    """The words for a comparison of this plan."""
    above, below = comparison.numerator, comparison.denominator
    who, whom = subject(above, below), subject(below, above)
    label = level_of(above, plan)
    at = f" at {label}" if label else ""
    if above.metric in TIMES:
        head = f"{above.op}{at}: " if above.op == below.op else ""
        return Words(head=head, who=who, whom=whom, metric=above.metric)
    several = len(plan.ops) > 1 and METRICS[above.metric].owner != "all ops"
    named = several or METRICS[above.metric].owner == "task"
    same = above.op == below.op and named
    return Words(
        head=f"{above.op}: " if same else "",
        who=f"{possessive(who)} {METRICS[above.metric].noun}{at}",
        whom=possessive(whom),
        metric=above.metric,
    )


def level_of(quantity: Quantity, plan: Plan) -> str:
    """The point of a quantity in words; "" if it has nothing to do with a level."""
    return point_label(plan, quantity.point) if METRICS[quantity.metric].has_level else ""


def point_label(plan: Plan, point: int) -> str:
    """A point in words; "" for statements at the only point, which nobody asked about."""
    if not plan.is_load and len(plan.points) == 1:
        return ""
    return plan.points[point].label


def subject(quantity: Quantity, other: Quantity) -> str:
    """A quantity, named by what distinguishes it from the other one."""
    if quantity.arm == other.arm:
        return f"{quantity.op} on {quantity.arm}"
    if quantity.op == other.op:
        return quantity.arm
    return f"{quantity.arm} on {quantity.op}"


def percent(log_ratio: float) -> str:
    """The change that a log ratio means, without direction: "52 %"; from 2 on "3.1 times"."""
    ratio = math.exp(log_ratio)
    if ratio >= 2:
        return f"{ratio:.3g} times"
    return f"{_plain((ratio - 1) * 100)} %"


def change(
    estimate: Estimate, *, n: int, metric: MetricKey = "time", than: str | None = None
) -> str:
    """Say "needs 52 % less time (50 to 54 %; 12 blocks)" for a log ratio; with `than`, than what.

    For other metrics: "is 31 % higher than MyISAM's (28 to 35 %; 12 blocks)".
    """
    return f"{direction(estimate.value, metric=metric, than=than)} ({basis(estimate, n=n)})"


def direction(estimate: float, *, metric: MetricKey = "time", than: str | None = None) -> str:
    """The change itself, without its basis."""
    if math.exp(estimate) >= 2:
        if metric in TIMES:
            return f"needs {percent(estimate)} the time" + (f" of {than}" if than else "")
        return f"is {percent(estimate)} {than or 'as high'}"
    compared = f" than {than}" if than else ""
    if metric in TIMES:
        return f"needs {percent(estimate)} {'less' if estimate < 0 else 'more'} time{compared}"
    return f"is {percent(estimate)} {'lower' if estimate < 0 else 'higher'}{compared}"


def basis(estimate: Estimate, *, n: int) -> str:
    """The basis of a log ratio: "50 to 54 %; 12 blocks"."""
    if estimate.interval is None:
        return f"no interval yet; {plural(n, 'block')}"
    return f"{span(estimate.value, *estimate.interval)}; {plural(n, 'block')}"


def span(estimate: float, low: float, high: float) -> str:
    """The interval in the unit and direction of the estimate; signs only if it spans zero."""
    if math.exp(estimate) >= 2:
        return f"{math.exp(low):.3g} to {math.exp(high):.3g} times"
    ends = (math.exp(low) - 1) * 100, (math.exp(high) - 1) * 100
    if low < 0 < high:
        return f"{_signed(ends[0])} to {_signed(ends[1])} %"
    nearer, farther = sorted(ends, key=abs)
    more = more_digits(nearer, farther, _plain)
    return f"{_plain(nearer, more)} to {_plain(farther, more)} %"


def _plain(value: float, more: int = 0) -> str:
    """A change in percent without its sign, with `more` decimals than usual; near 100, what is left
    counts: 99.9.
    """
    left = 100 + value
    if 0 < left < 10:
        return f"{-value:.{max(1, -math.floor(math.log10(left))) + more}f}"
    usual = 1 if abs(value) < 9.95 else 0
    return f"{abs(value):.{usual + more}f}"


def _signed(value: float) -> str:
    sign = "−" if value < 0 else "+"
    return sign + _plain(value)
