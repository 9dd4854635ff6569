"""Each arm by itself: throughput and latencies by point, with Student's interval over blocks."""

from __future__ import annotations

from collections.abc import Iterator

from dyno.analysis.load.model import Figure, PointRead
from dyno.analysis.part import BlockValue
from dyno.analysis.samples import Samples
from dyno.analysis.values import over_blocks
from dyno.spec.metrics import LATENCIES, METRICS
from dyno.spec.plan import Plan, Quantity

# The metrics that describe an arm, compared or not.
OF_ARMS = [
    *(key for key, row in METRICS.items() if row.is_rate and row.owner == "op"),
    *(key for key, row in METRICS.items() if row.is_rate and row.owner != "op"),
    *LATENCIES,
]


def points(plan: Plan) -> list[PointRead]:
    """The levels of the sweep, or the one level there is."""
    return [
        PointRead(
            index=index,
            label=point.label,
            connections=point.connections,
            rate_per_s=point.rate_per_s,
            variant=point.variant.name if point.variant else "",
            group=point.variant.group if point.variant else "",
        )
        for index, point in enumerate(plan.points)
    ]


def figures(plan: Plan, samples: Samples) -> Iterator[Figure]:
    """Every metric that was measured, in the plan's order; none for statements."""
    if not plan.is_load:
        return
    for op in plan.ops:
        for point in range(len(plan.points)):
            for arm in plan.arms:
                for metric in OF_ARMS:
                    key = Quantity(arm=arm.name, op=op, point=point, metric=metric)
                    by_block = samples.of(key)
                    if by_block:
                        yield _figure(key, by_block)


def _figure(key: Quantity, by_block: dict[int, float]) -> Figure:
    values = list(by_block.values())
    typical = over_blocks(values)
    assert typical is not None, "there are values"
    return Figure(
        arm=key.arm,
        op=key.op,
        point=key.point,
        metric=key.metric,
        unit=METRICS[key.metric].unit,
        n=len(values),
        median=typical,
        min=min(values),
        max=max(values),
        blocks=[BlockValue(block=b, value=v) for b, v in sorted(by_block.items())],
    )
