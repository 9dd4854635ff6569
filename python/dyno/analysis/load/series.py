"""The measure phase of every good trial, second by second: for pictures, not for inference."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

import polars as pl

from dyno.analysis.load.histograms import merged
from dyno.analysis.load.model import SeriesRead
from dyno.analysis.load.trial import MEASURE, LoadTrial
from dyno.analysis.samples import Samples
from dyno.store.run import RunFolder

P95 = 0.95


def series(folder: RunFolder, samples: Samples) -> Iterator[SeriesRead]:
    """One for each good load trial, in the order in which they ran; slices of a block are joined,
    as if there were no time between them.
    """
    joined: dict[tuple[str, int, int], list[LoadTrial]] = {}
    for load in samples.loads:
        trial = load.trial
        joined.setdefault((trial.arm, trial.point, trial.block), []).append(load)
    for (arm, point, block), loads in joined.items():
        widths_s = [load.width_s for load in loads for _ in range(load.intervals)]
        yield SeriesRead(
            arm=arm,
            point=point,
            block=block,
            t_s=[round(end_s, 3) for end_s in accumulate(widths_s)],
            ops_per_s=[round(value, 3) for load in loads for value in load.ok_per_s.tolist()],
            p95_ms=[value for load in loads for value in p95_ms(folder, load, load.intervals)],
            cut_s=round(samples.cut_s(loads[0].trial), 3),
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
