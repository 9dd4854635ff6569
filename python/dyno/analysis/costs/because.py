"""What an op costs more or less on an arm, in a sentence. Possible causes, not proofs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from dyno.analysis.costs.model import CostChange, PerOp
from dyno.analysis.verdicts.wording import percent, point_label, span
from dyno.spec.plan import Plan
from dyno.spec.units import plural
from dyno.stats import Estimate

# The costs that a sentence names, in words; those that can be counted are fewer, not less.
NAMED = {
    "server_cpu_us_per_op": ("CPU time on the server", "less"),
    "context_switches_per_op": ("context switches", "fewer"),
    "read_kb_per_op": ("bytes from disk", "fewer"),
    "written_kb_per_op": ("bytes to disk", "fewer"),
    "fsyncs_per_op": ("fsyncs", "fewer"),
    "statements_per_op": ("statements", "fewer"),
    "rows_read_per_op": ("rows read", "fewer"),
    "retries_per_1000_ops": ("retries", "fewer"),
}
NAMED_MOST = 5
# Less than this of anything an op can't notice, by key of PerOp.figures.
LEAST = 0.01


def because(
    plan: Plan, changes: Sequence[CostChange], costs: Sequence[PerOp], *, point: int, delta: float
) -> Iterator[str]:
    """A sentence for each arm that has intervals at a point; `delta` is the run's floor, a log
    ratio.
    """
    here = [change for change in changes if change.point == point]
    amounts = {c.arm: c.figures for c in costs if c.point == point}
    at = f"at {label}, " if (label := point_label(plan, point)) else ""
    for arm in dict.fromkeys(change.arm for change in here):
        found = [c for c in here if c.arm == arm and _is_bounded(c) and c.cost in NAMED]
        if arm == plan.control or not found:
            continue
        baseline = found[0].baseline
        noticed = [c for c in found if _amount(c, amounts) >= LEAST and _is_shown(c, delta)]
        noticed.sort(key=lambda c: -abs(_log(c).value))
        basis = f"{at}over {plural(found[0].n, 'block')}"
        if noticed:
            said = ", ".join(map(_said, noticed[:NAMED_MOST]))
            yield f"Against {baseline}, an op on {arm} takes {said}, {basis}."
        else:
            yield f"No cost of an op is shown to differ between {arm} and {baseline}, {basis}."


def _is_bounded(change: CostChange) -> bool:
    """Whether it has an interval: of a few blocks there is none."""
    return change.ratio is not None and change.ratio.interval is not None


def _amount(change: CostChange, amounts: dict[str, dict[str, float | None]]) -> float:
    """The larger one of the two arms' amounts."""
    sides = (amounts.get(arm, {}).get(change.cost) for arm in (change.arm, change.baseline))
    return max(side or 0.0 for side in sides)


def _is_shown(change: CostChange, delta: float) -> bool:
    value, low, high = _log(change).value, *_log(change).bounds
    return not low <= 0 <= high and abs(value) >= delta


def _said(change: CostChange) -> str:
    noun, less = NAMED[change.cost]
    found = _log(change)
    ends = span(found.value, *found.bounds)
    if math.exp(found.value) >= 2:
        return f"{percent(found.value)} the {noun} ({ends})"
    return f"{percent(found.value)} {'more' if found.value > 0 else less} {noun} ({ends})"


def _log(change: CostChange) -> Estimate:
    assert change.ratio is not None
    return change.ratio.through(math.log)
