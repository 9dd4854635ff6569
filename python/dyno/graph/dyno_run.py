"""Reads a run folder of Dyno. Judges nothing.

Each good trial of a load is a run. For statements, all trials of an arm together are one run per
statement, in seconds, as mysqlslap reports them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import median

from dyno.analysis.load.histograms import Histogram, merged, naming_damage
from dyno.analysis.load.latency import QUANTILES
from dyno.analysis.load.series import P95, p95_ms
from dyno.analysis.load.trial import LoadTrial, measured
from dyno.analysis.measures import carries
from dyno.analysis.samples import Samples, gather
from dyno.errors import SpecError, StoreError
from dyno.graph.model import Figure, Found, Interval, Latency, Run
from dyno.spec.command import clients_of
from dyno.spec.plan import Plan, Quantity
from dyno.store.run import RunFolder
from dyno.store.trial import Trial


def read(path: Path) -> Found:
    """All good trials of a stored run. Raises SpecError for anything that isn't a run folder."""
    try:
        folder = RunFolder.open(path)
        plan = folder.plan()
        samples = gather(plan, folder)
        with naming_damage(folder):
            runs = tuple(_runs(plan, folder, samples))
    except StoreError as error:
        hint = error.hint or "expected: a folder of dyno run"
        raise SpecError(error.message, hint=hint) from error
    good = len(samples.loads) if plan.is_load else len(samples.ok)
    bad = len(samples.trials) - good
    notes = [f"{bad} of {len(samples.trials)} trials failed or gave no figure"] if bad else []
    return Found(runs, (), tuple(notes))


def _runs(plan: Plan, folder: RunFolder, samples: Samples) -> Iterator[Run]:
    if plan.is_load:
        return (_run(plan, folder, samples, load) for load in samples.loads)
    return _statements(plan, samples)


def _statements(plan: Plan, samples: Samples) -> Iterator[Run]:
    """The median of all blocks, with the ends; an op of n clients has its own level."""
    for arm in plan.arms:
        for op in plan.ops:
            times_s = samples.of(Quantity(arm=arm.name, op=op)).values()
            if not times_s:
                continue
            clients = clients_of(op)
            yield Run(
                line=1,
                unit="queries",
                arm=arm.name if clients is not None or len(plan.ops) == 1 else f"{arm.name}, {op}",
                connections=plan.points[0].connections if clients is None else clients,
                seconds=Figure(median(times_s), min(times_s), max(times_s)),
            )


def _run(plan: Plan, folder: RunFolder, samples: Samples, load: LoadTrial) -> Run:
    """Throughput after the warm-up that applies to the trial's whole block, as in the report."""
    trial = load.trial
    point = plan.points[trial.point]
    after = load.ok_per_s[load.after(samples.cut_s(trial)) :]
    return Run(
        line=trial.number,
        unit="ops",
        arm=f"{trial.arm}, {point.variant.name}" if point.variant else trial.arm,
        connections=point.connections,
        rate_per_s=point.rate_per_s,
        throughput_per_s=Figure(round(float(after.mean()), 3)) if len(after) else None,
        latency=_latency(trial),
        intervals=_intervals(folder, load),
    )


def _latency(trial: Trial) -> Latency:
    """For the ok ops of all kinds in the measure phase."""
    phase = measured(trial)
    ok = [op for op in phase.ops if op.outcome == "ok" and op.count] if phase else []
    count = sum(op.count for op in ok)
    if not count:
        return Latency()
    return Latency(
        min_ms=min(op.min_ns for op in ok) / 1e6,
        mean_ms=round(sum(op.mean_ns * op.count for op in ok) / count / 1e6, 6),
        max_ms=max(op.max_ns for op in ok) / 1e6,
        quantiles=_carried(merged(op.histogram for op in ok)),
    )


def _carried(histogram: Histogram) -> tuple[tuple[float, float], ...]:
    kept = [quantile for quantile in QUANTILES if carries(histogram.count, quantile)]
    values = histogram.quantiles_ms(kept) if kept else []
    return tuple((q, round(ms, 6)) for q, ms in zip(kept, values, strict=True))


def _intervals(folder: RunFolder, load: LoadTrial) -> tuple[Interval, ...]:
    """The full intervals of the measure phase; their p95 is for display only, as in the report."""
    rates, quantiles = load.ok_per_s.tolist(), p95_ms(folder, load, load.intervals)
    found = []
    for index, (per_s, at) in enumerate(zip(rates, quantiles, strict=True)):
        latency = Latency(quantiles=() if at is None else ((P95, at),))
        found.append(Interval(round((index + 1) * load.width_s, 3), round(per_s, 3), latency))
    return tuple(found)
