"""Response times of kinds of op, as the cells and columns of a table for every report."""

from __future__ import annotations

from collections.abc import Sequence

from dyno.report import load, numbers
from dyno.report.sheets import Cell, Column, given, missing

FEW = "too few ops for this percentile"


def columns(quantiles: Sequence[float]) -> list[Column]:
    """The heads: mean, the quantiles, max."""
    return [Column("Mean"), *(Column(load.percentile(q)) for q in (*quantiles, 1.0))]


def cells(
    mean_ms: float, known_ms: Sequence[float | None], max_ms: float, *, mean_says: str = ""
) -> list[Cell]:
    """Mean, quantiles, max; `mean_says` is a warning below the mean."""
    return [
        given(numbers.milliseconds(mean_ms), mean_says, warn=bool(mean_says)),
        *(missing(FEW) if ms is None else given(numbers.milliseconds(ms)) for ms in known_ms),
        given(numbers.milliseconds(max_ms)),
    ]
