"""A series: what a sampler gathered, with what was missing and what it cost.

Not a file: the run folder is written elsewhere, with `frame` as Parquet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dyno.telemetry.collector import Column

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Overhead:
    """The sampler's own cost. None if there is nothing to compute it from.

    `cpu_share_pct` is the CPU time of the sampler's thread per cent of one core between start and
    stop; `sample_ms_*` the wall time of reading all collectors once; `missed` the number of samples
    left out because the sampler was late.
    """

    samples: int
    missed: int
    cpu_s: float | None
    cpu_share_pct: float | None
    sample_ms_mean: float | None
    sample_ms_max: float | None


@dataclass(frozen=True)
class Sample:
    """One row: seconds since the origin, wall clock, values by column name, cost of reading."""

    t_s: float
    unix_ms: int
    values: Mapping[str, float | None]
    elapsed_ms: float


@dataclass(frozen=True)
class Series:
    """`samples` in order of time. `unavailable` has the first reason for a missing value by column
    name; the rates of the first sample are missing without one. `columns`: the metrics, in order.
    """

    samples: Sequence[Sample]
    columns: tuple[Column, ...]
    unavailable: Mapping[str, str]
    overhead: Overhead

    @property
    def frame(self) -> pl.DataFrame:
        """The columns t_s (Float64), unix_ms (Int64) and one Float64 column per metric. A missing
        value is null.
        """
        return to_frame(self.samples, self.columns)


def to_frame(samples: Sequence[Sample], columns: Sequence[Column]) -> pl.DataFrame:
    """Rows in order of time, also when there are none."""
    # Here, because a load host samples, too, and polars takes 26 MB.
    import polars as pl

    data: dict[str, list[float | None]] = {
        column.name: [sample.values.get(column.name) for sample in samples] for column in columns
    }
    return pl.DataFrame(
        {
            "t_s": [sample.t_s for sample in samples],
            "unix_ms": [sample.unix_ms for sample in samples],
            **data,
        },
        schema={"t_s": pl.Float64, "unix_ms": pl.Int64} | dict.fromkeys(data, pl.Float64()),
    )


def overhead_of(
    samples: Sequence[Sample], *, missed: int, cpu_s: float | None, elapsed_s: float | None
) -> Overhead:
    """The cost of these samples; `elapsed_s` is the wall time from start to stop."""
    costs_ms = [sample.elapsed_ms for sample in samples]
    return Overhead(
        samples=len(samples),
        missed=missed,
        cpu_s=cpu_s,
        cpu_share_pct=100 * cpu_s / elapsed_s if cpu_s is not None and elapsed_s else None,
        sample_ms_mean=sum(costs_ms) / len(costs_ms) if costs_ms else None,
        sample_ms_max=max(costs_ms, default=None),
    )
