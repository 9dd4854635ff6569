"""How large the tables were: bytes and bytes per row, by arm.

Trials that changed the data each have their own size; otherwise the first block's stands for all.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from dyno.analysis.samples import Samples
from dyno.analysis.tables.model import SizeRead
from dyno.analysis.tables.size import by_files, bytes_per_row, known_sum, rows_of
from dyno.analysis.values import median_of_known
from dyno.spec.plan import Plan
from dyno.store.trial import Trial


def sizes(plan: Plan, samples: Samples) -> Iterator[SizeRead]:
    """By arm; none for an arm whose rows are unknown or 0, such as Blackhole's."""
    for arm in plan.arms:
        found = [
            (trial, value)
            for trial in samples.ok
            if trial.arm == arm.name and (value := bytes_per_row(trial)) is not None
        ]
        if found:
            yield _read(arm.name, [trial for trial, _ in found], [value for _, value in found])


def _read(arm: str, trials: list[Trial], per_row: list[float]) -> SizeRead:
    return SizeRead(
        arm=arm,
        engines=sorted({table.engine for trial in trials for table in trial.sizes}),
        trials=len(trials),
        rows=median(rows_of(trial) for trial in trials),
        data_bytes=median_of_known(known_sum(t.data_bytes for t in x.sizes) for x in trials),
        index_bytes=median_of_known(known_sum(t.index_bytes for t in x.sizes) for x in trials),
        disk_bytes=median_of_known(known_sum(t.disk_bytes for t in x.sizes) for x in trials),
        by_files=all(by_files(trial) for trial in trials),
        bytes_per_row=median(per_row),
        bytes_per_row_min=min(per_row),
        bytes_per_row_max=max(per_row),
    )
