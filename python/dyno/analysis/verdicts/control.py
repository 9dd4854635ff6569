"""The control arm: the difference between two copies of one server in the run's own blocks."""

from __future__ import annotations

import bisect
from collections.abc import Callable
from dataclasses import dataclass

from dyno.analysis.fairness.model import Fairness
from dyno.analysis.samples import Samples
from dyno.analysis.verdicts.model import Compared, ControlRead
from dyno.spec.changed import changed
from dyno.spec.plan import Comparison, Plan, Quantity
from dyno.spec.units import plural
from dyno.stats import Contrasts, hodges_lehmann

NAME = "control arm"
DETAILS_MOST = 20

BiasAt = Callable[[int], float]
"""The size of the control's contrast (log ratio >= 0) in a comparison's first n blocks."""


def no_bias(n: int) -> float:
    """The bias of a run without a control arm."""
    return 0.0


@dataclass(frozen=True)
class Control:
    """The control's contrasts, by the baseline's quantity that each is compared with."""

    contrasts: dict[Quantity, Contrasts]
    baseline: str

    @classmethod
    def of(cls, plan: Plan, samples: Samples) -> Control:
        """Those of a run; none if it has no control arm."""
        found = {each.denominator: samples.contrasts(each) for each in plan.controls}
        return cls(found, plan.baseline.name)

    def bias_beside(self, comparison: Comparison, contrasts: Contrasts) -> BiasAt:
        """The difference between two copies of the baseline in the blocks of the comparison."""
        above, below = comparison.numerator, comparison.denominator
        found = self.contrasts.get(changed(above, arm=self.baseline))
        if found is None or not found.blocks or above.op != below.op:
            return no_bias

        def bias_at(n: int) -> float:
            seen = bisect.bisect_right(found.blocks, contrasts.blocks[n - 1])
            return abs(hodges_lehmann(found.values[:seen])) if seen else 0.0

        return bias_at


def read_control(plan: Plan, compared: list[Compared]) -> ControlRead | None:
    """What the findings say about it; None for a run without one. All primary comparisons together
    raise an alarm no more often than a single one would.
    """
    if plan.control is None:
        return None
    alarms = [
        index
        for index, c in enumerate(compared)
        if c.state == "different" and c.holm_p is not None and c.holm_p <= plan.protocol.alpha
    ]
    return ControlRead(arm=plan.control, of=plan.baseline.name, compared=compared, alarms=alarms)


def check_control(control: ControlRead) -> Fairness:
    """Whether two copies of the baseline came out equal, and how far apart they were."""
    seen = [c for c in control.compared if c.ratio is not None]
    if not seen:
        return Fairness(
            name=NAME,
            check="unknown",
            says=f"No look yet has both {control.arm} and {control.of}.",
        )
    if control.alarms:
        return Fairness(
            name=NAME,
            check="warning",
            says=f"Two copies of {control.of} came out different.",
            details=[control.compared[index].sentence for index in control.alarms],
        )
    apart = max(abs(c.ratio.value - 1) for c in seen if c.ratio)
    where = f", at most, in {plural(len(seen), 'comparison')}" if len(seen) > 1 else ""
    return Fairness(
        name=NAME,
        check="ok",
        says=f"Two copies of {control.of} are not shown to differ: {100 * apart:.1f} % apart"
        f"{where}. Nothing below twice its control is called a difference.",
        details=[c.sentence for c in seen][:DETAILS_MOST],
    )
