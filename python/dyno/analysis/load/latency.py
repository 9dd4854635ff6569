"""Latency by quantile: the histograms of all good trials of an arm at a point, added up."""

from __future__ import annotations

from collections.abc import Iterator

from dyno.analysis.load.histograms import merged
from dyno.analysis.load.model import LatencyRead
from dyno.analysis.load.trial import measured
from dyno.analysis.measures import carries
from dyno.analysis.samples import Samples
from dyno.spec.plan import Plan

QUANTILES = (0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999)


def latency(plan: Plan, samples: Samples) -> Iterator[LatencyRead]:
    """By op, point and arm; of ok ops of the whole measure phase, none for statements."""
    if not plan.is_load:
        return
    texts: dict[tuple[str, int, str], list[str]] = {}
    for trial in samples.ok:
        phase = measured(trial)
        for op in phase.ops if phase else []:
            if op.outcome == "ok":
                texts.setdefault((op.op, trial.point, trial.arm), []).append(op.histogram)
    for op_name in plan.ops:
        for point in range(len(plan.points)):
            for arm in plan.arms:
                histogram = merged(texts.get((op_name, point, arm.name), []))
                if not histogram.count:
                    continue
                kept = [q for q in QUANTILES if carries(histogram.count, q)] + [1.0]
                values = histogram.quantiles_ms(kept)
                yield LatencyRead(
                    arm=arm.name,
                    op=op_name,
                    point=point,
                    count=histogram.count,
                    points=[(q, round(ms, 6)) for q, ms in zip(kept, values, strict=True)],
                )
