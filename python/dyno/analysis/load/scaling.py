"""Throughput over connections: where it peaks, where it is near the peak, and the fitted law."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from dyno.analysis.load.model import ScalingRead, Usl
from dyno.analysis.samples import Samples
from dyno.spec.metrics import METRICS, MetricKey
from dyno.spec.plan import Plan, Quantity
from dyno.spec.units import plural
from dyno.stats import Floats, Knee, UslFit, fit_usl, knee
from dyno.stats.usl import FEWEST_LEVELS, RESIDUAL_MOST


def scaling(plan: Plan, samples: Samples) -> Iterator[ScalingRead]:
    """By op and arm, only for one closed load at more than one number of connections."""
    levels = [point.connections for point in plan.points]
    is_other = any(p.rate_per_s is not None or p.variant is not None for p in plan.points)
    if not plan.is_load or is_other or len(set(levels)) < 2:
        return
    metric = plan.workload.headline
    for op in plan.workload.headline_ops:
        for arm in plan.arms:
            table = _table(plan, samples, arm=arm.name, op=op, metric=metric)
            found = knee(levels, table) if table is not None else None
            if table is None or found is None:
                continue
            law = fit_usl(levels, table)
            yield ScalingRead(
                arm=arm.name,
                op=op,
                peak_connections=round(found.peak_level),
                peak_ops_per_s=found.peak,
                n95=round(found.n95),
                usl=_usl(law) if law is not None and law.fits else None,
                says=_says(found, law, levels, table, metric),
            )


def _table(plan: Plan, samples: Samples, *, arm: str, op: str, metric: MetricKey) -> Floats | None:
    """Ops per second by block and point, nan where a block lacks a point; None if no values."""
    columns = [
        samples.of(Quantity(arm=arm, op=op, point=point, metric=metric))
        for point in range(len(plan.points))
    ]
    blocks = sorted({block for column in columns for block in column})
    if not blocks:
        return None
    found = np.array([[column.get(block, math.nan) for column in columns] for block in blocks])
    return found / METRICS[metric].per_s


def _usl(law: UslFit) -> Usl:
    return Usl(
        lambda_ops_per_s=law.rate,
        sigma=law.sigma,
        kappa=law.kappa,
        n_star=law.n_star,
        residual_max=law.residual_max,
    )


def _says(
    found: Knee, law: UslFit | None, levels: list[int], table: Floats, metric: MetricKey
) -> str:
    """The peak in words, with its blocks; what the law adds, or why it isn't there."""
    top = levels.index(round(found.peak_level))
    blocks = plural(int(np.count_nonzero(~np.isnan(table[:, top]))), "block")
    rate = METRICS[metric]
    at = plural(levels[top], "connection")
    peak = f"{_rate(found.peak * rate.per_s)} {rate.unit} at {at} (median of {blocks})"
    if found.at_edge:
        said = f"It still rises at the last level: {peak}; the sweep doesn't reach the peak."
    else:
        said = f"The peak is {peak}."
    if found.n95 < found.peak_level:
        said += f" It reaches 95 % of that at {plural(round(found.n95), 'connection')}."
    return f"{said} {_law_says(law)}"


def _law_says(law: UslFit | None) -> str:
    if law is None:
        return f"The scalability law needs {FEWEST_LEVELS} levels at least."
    if not law.fits:
        off = law.residual_max
        by = f"{off:.0%}" if off < 1 else f"{off:.3g} times what was measured there"
        return (
            f"The scalability law doesn't fit: it misses a level by {by}, "
            f"more than {RESIDUAL_MOST:.0%}."
        ).replace("%", " %")
    if law.n_star is not None:
        return f"By the scalability law the peak lies at {law.n_star:.0f} connections."
    return "The scalability law fits, but it has no peak within the sweep."


def _rate(value: float) -> str:
    """Four significant digits, never as a power of ten."""
    rounded = float(f"{value:.4g}")
    return f"{rounded:,.0f}" if rounded >= 1000 else f"{rounded:g}"
