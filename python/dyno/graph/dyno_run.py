"""Reads a run folder of Dyno: every good trial of a load is a run. Judges nothing.

A run of statements has times of its own kind and a report that draws them.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from dyno.analysis.histograms import Histogram, merged
from dyno.analysis.latency import QUANTILES
from dyno.analysis.load_trial import MEASURE, LoadTrial, measured
from dyno.analysis.samples import Samples, carries, gather
from dyno.analysis.series import P95
from dyno.errors import SpecError, StoreError
from dyno.graph.model import Figure, Found, Interval, Latency, Run
from dyno.spec.plan import Plan
from dyno.store.run import RunFolder
from dyno.store.trial import Trial


def read(path: Path) -> Found:
    """All good trials of a stored run. Raises SpecError for what is no load's run folder."""
    try:
        folder = RunFolder.open(path)
        plan = folder.plan()
        if not plan.is_load:
            raise SpecError(
                f"{path}: a run of statements, not of a load",
                hint=f"its own charts: dyno report {path} --images pictures",
            )
        samples = gather(plan, folder)
    except StoreError as error:
        hint = error.hint or "expected: a folder of dyno run"
        raise SpecError(error.message, hint=hint) from error
    bad = len(samples.trials) - len(samples.loads)
    notes = [f"{bad} of {len(samples.trials)} trials failed or gave no figure"] if bad else []
    runs = tuple(_run(plan, folder, samples, load) for load in samples.loads)
    return Found(runs, (), tuple(notes))


def _run(plan: Plan, folder: RunFolder, samples: Samples, load: LoadTrial) -> Run:
    """Throughput without the warm-up that the trial's block agreed on, as in the report."""
    trial = load.trial
    point = plan.points[trial.point]
    after = load.ok_per_s[load.after(samples.cut_s(trial)) :]
    return Run(
        line=trial.number,
        unit="ops",
        arm=trial.arm,
        connections=point.connections,
        rate_per_s=point.rate_per_s,
        throughput_per_s=Figure(round(float(after.mean()), 3)) if len(after) else None,
        latency=_latency(trial),
        intervals=_intervals(folder, load),
    )


def _latency(trial: Trial) -> Latency:
    """Of the ok ops of all kinds in the measure phase."""
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
    """The full intervals of the measure phase; their p95 is for looking at, as in the report."""
    texts: dict[int, list[str]] = {}
    frame = folder.intervals(load.trial.number)
    if frame is not None:
        ok = frame.filter((pl.col("phase") == MEASURE) & (pl.col("outcome") == "ok"))
        for index, text in ok.select("index", "histogram").rows():
            if text:
                texts.setdefault(index, []).append(text)
    found = []
    for index, per_s in enumerate(load.ok_per_s.tolist()):
        histogram = merged(texts.get(index, []))
        at = histogram.quantiles_ms([P95])[0] if histogram.count else None
        latency = Latency(quantiles=() if at is None else ((P95, round(at, 4)),))
        found.append(Interval(round((index + 1) * load.width_s, 3), round(per_s, 3), latency))
    return tuple(found)
