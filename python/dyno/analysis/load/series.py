"""The measure phase of every good trial, second by second: for pictures, not for inference."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from dyno.analysis.load.histograms import merged
from dyno.analysis.load.model import SeriesRead
from dyno.analysis.load.trial import MEASURE, LoadTrial
from dyno.analysis.samples import Samples
from dyno.store.run import RunFolder

P95 = 0.95


def series(folder: RunFolder, samples: Samples) -> Iterator[SeriesRead]:
    """One for each good load trial, in the order in which they ran."""
    for load in samples.loads:
        count = load.intervals
        yield SeriesRead(
            arm=load.trial.arm,
            point=load.trial.point,
            block=load.trial.block,
            t_s=[round((i + 1) * load.width_s, 3) for i in range(count)],
            ops_per_s=[round(value, 3) for value in load.ok_per_s.tolist()],
            p95_ms=p95_ms(folder, load, count),
            cut_s=round(samples.cut_s(load.trial), 3),
        )


def p95_ms(folder: RunFolder, load: LoadTrial, count: int) -> list[float | None]:
    """The 95th percentile of the ok ops of all kinds that ended in each full interval."""
    texts: dict[int, list[str]] = {}
    frame = folder.intervals(load.trial.number)
    if frame is not None:
        ok = frame.filter((pl.col("phase") == MEASURE) & (pl.col("outcome") == "ok"))
        for index, text in ok.select("index", "histogram").rows():
            if text:
                texts.setdefault(index, []).append(text)
    found: list[float | None] = []
    for index in range(count):
        histogram = merged(texts.get(index, []))
        value = histogram.quantiles_ms([P95])[0] if histogram.count else None
        found.append(None if value is None else round(value, 4))
    return found
