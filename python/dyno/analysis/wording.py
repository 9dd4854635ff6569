"""Findings in words: one way to say a ratio, everywhere. Times: a ratio below 1 is faster."""

from __future__ import annotations

import math

from dyno.spec.plan import Comparison, Quantity
from dyno.spec.units import plural


def subject(quantity: Quantity, other: Quantity) -> str:
    """A quantity, named by what tells it from the other one."""
    if quantity.arm == other.arm:
        return f"{quantity.op} on {quantity.arm}"
    if quantity.op == other.op:
        return quantity.arm
    return f"{quantity.arm} on {quantity.op}"


def shared_op(comparison: Comparison) -> str:
    """Give "Q2: " where both quantities are of one op, else nothing."""
    same = comparison.numerator.op == comparison.denominator.op
    return f"{comparison.numerator.op}: " if same else ""


def percent(log_ratio: float) -> str:
    """The change that a log ratio means, without direction: "52 %"; from 2 on "3.1 times"."""
    ratio = math.exp(log_ratio)
    if ratio >= 2:
        return f"{ratio:.3g} times"
    change = abs(ratio - 1) * 100
    return f"{change:.1f} %" if change < 9.95 else f"{change:.0f} %"


def change(estimate: float, low: float, high: float, *, n: int) -> str:
    """Say "needs 52 % less time (50 to 54 %; 12 blocks)" from log ratios of times."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return f"{_direction(estimate)} (no interval yet; {plural(n, 'block')})"
    return f"{_direction(estimate)} ({_range(estimate, low, high)}; {plural(n, 'block')})"


def _direction(estimate: float) -> str:
    if math.exp(estimate) >= 2:
        return f"needs {percent(estimate)} the time"
    return f"needs {percent(estimate)} {'less' if estimate < 0 else 'more'} time"


def _range(estimate: float, low: float, high: float) -> str:
    """The interval in the unit and direction of the estimate; signs only where it spans zero."""
    if math.exp(estimate) >= 2:
        return f"{math.exp(low):.3g} to {math.exp(high):.3g} times"
    ends = sorted(((math.exp(low) - 1) * 100, (math.exp(high) - 1) * 100), key=abs)
    if low < 0 < high:
        ends.sort()
        return f"{_signed(ends[0])} to {_signed(ends[1])} %"
    return f"{_plain(ends[0])} to {_plain(ends[1])} %"


def _plain(value: float) -> str:
    return f"{abs(value):.1f}" if abs(value) < 9.95 else f"{abs(value):.0f}"


def _signed(value: float) -> str:
    sign = "−" if value < 0 else "+"
    return sign + _plain(value)
