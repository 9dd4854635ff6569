"""The Universal Scalability Law as a curve over the levels, for the arms that it fits."""

from __future__ import annotations

import math

from dyno.analysis.load.model import ScalingRead, Usl
from dyno.report.charts import look
from dyno.report.charts.arms import Arms
from dyno.report.charts.chart import Spec
from dyno.report.charts.levels import Levels

CURVE_STEPS = 40
# The law is drawn if no point lies farther from it than this; otherwise it "does not fit".
RESIDUAL_MOST = 0.1
CURVE: Spec = {"type": "rule", "strokeWidth": 1.1, "strokeDash": [2, 3], "color": look.MUTED}


def fitted(scaling: list[ScalingRead]) -> list[tuple[str, Usl]]:
    """The arms whose law fits, and the law."""
    found = [(read.arm, read.usl) for read in scaling if read.usl is not None]
    return [(arm, law) for arm, law in found if law.residual_max <= RESIDUAL_MOST]


def ops_per_s(law: Usl, connections: float) -> float:
    """The law's throughput."""
    more = connections - 1
    under = 1 + law.sigma * more + law.kappa.value * connections * more
    return law.lambda_ops_per_s * connections / under


def curves(
    scaling: list[ScalingRead],
    arms: Arms,
    levels: Levels,
    y: Spec,
    *,
    last: bool,
    times: int = 1,
) -> list[Spec]:
    """A layer with the law of each arm where it fits, from the lowest level to the highest; `times`
    converts ops per second to the unit shown.
    """
    low, high = levels.values[0], levels.values[-1]
    ratio = math.log(high / low) / CURVE_STEPS
    at = [low * math.exp(ratio * step) for step in range(CURVE_STEPS + 1)]
    values = [
        {"arm": arm, "n": round(n, 3), "law": round(ops_per_s(law, n) * times, 2)}
        for arm, law in fitted(scaling)
        for n in at
    ]
    if not values:
        return []
    return [
        {
            "data": {"values": values},
            "mark": {**CURVE, "type": "line", "aria": False},
            "encoding": {
                "x": levels.x("n", last=last),
                "y": {**y, "field": "law"},
                "color": arms.colour,
            },
        }
    ]
