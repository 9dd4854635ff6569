"""What the engine costs: each arm over the arm that is its floor, at each point.

Time and CPU of an op are split into the server without the engine and the engine. The split is one
ratio per block, so its interval is that of the ratio.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import median
from typing import Literal

from dyno.analysis.costs.model import EngineCost
from dyno.analysis.samples import Samples
from dyno.analysis.verdicts.compare import ratio_so_far
from dyno.spec.experiment import Arm
from dyno.spec.plan import Plan, Quantity
from dyno.stats import Design, block_contrasts

Micros = dict[int, float]


def engine_costs(
    plan: Plan, samples: Samples, design: Design, *, over: bool
) -> Iterator[EngineCost]:
    """By arm with a floor, op, point and quantity; none if either arm has no figure."""
    run = {arm.name for arm in plan.arms}
    for arm in plan.arms:
        if arm.floor is None or arm.floor not in run:
            continue
        for op in plan.ops:
            for point in range(len(plan.points)):
                yield from _of(plan, samples, design, arm, arm.floor, op, point, over=over)


def _of(
    plan: Plan,
    samples: Samples,
    design: Design,
    arm: Arm,
    floor: str,
    op: str,
    point: int,
    *,
    over: bool,
) -> Iterator[EngineCost]:
    times = [_time_us(plan, samples, name, op, point) for name in (arm.name, floor)]
    cpus = [_cpu_us(plan, samples, name, point) for name in (arm.name, floor)]
    quantities: list[tuple[Literal["time", "server_cpu"], list[Micros]]] = [("time", times)]
    if plan.is_load:
        quantities.append(("server_cpu", cpus))
    for quantity, (own, under) in quantities:
        contrasts = block_contrasts(under, own)
        if not contrasts.blocks:
            continue
        n, ratio = ratio_so_far(contrasts, design, over=over)
        yield EngineCost(
            arm=arm.name,
            floor=floor,
            op=op,
            point=point,
            quantity=quantity,
            n=n,
            arm_us=median(own[block] for block in contrasts.blocks),
            floor_us=median(under[block] for block in contrasts.blocks),
            share=ratio.through(_share) if ratio else None,
        )


def _cpu_us(plan: Plan, samples: Samples, arm: str, point: int) -> Micros:
    """The server's CPU time of an op, of whatever kind; no block where it is unknown."""
    op = plan.workload.headline_ops[0]
    return samples.of(Quantity(arm=arm, op=op, point=point, metric="server_cpu"))


def _time_us(plan: Plan, samples: Samples, arm: str, op: str, point: int) -> Micros:
    """For statements their time; for loads the connections over the throughput (Little's law). For
    a closed load that is the mean time between the starts of two ops of a connection.
    """
    if not plan.is_load:
        times_s = samples.of(Quantity(arm=arm, op=op, point=point, metric="time"))
        return {block: value * 1e6 for block, value in times_s.items()}
    connections = plan.points[point].connections
    rates = samples.of(Quantity(arm=arm, op=op, point=point, metric="throughput"))
    return {block: connections / value * 1e6 for block, value in rates.items()}


def _share(log_ratio: float) -> float:
    """The engine's share of an op, where exp(log_ratio) of its time is the floor's."""
    return -math.expm1(log_ratio)
