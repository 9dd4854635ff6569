"""Cells of tables that describe an arm at a point, in parts that only one workload has."""

from __future__ import annotations

from dyno.analysis.model import Findings
from dyno.report import load, metrics
from dyno.report.sheets import Cell, given, missing
from dyno.spec.units import format_bytes


def rate_bounds(findings: Findings, arm: str, point: int) -> str:
    """The interval of the run's own rate in words, "" if there is none."""
    rate = metrics.headline(findings)
    for figure in findings.figures:
        if (figure.arm, figure.point, figure.metric) == (arm, point, rate):
            return load.bounds(figure)
    return ""


def codes(counts: dict[str, int], *, warn: bool = False) -> Cell:
    """The total, and below it the count of each error code."""
    total = sum(counts.values())
    each = ", ".join(f"{code}: {count:,}" for code, count in counts.items() if count)
    return given(f"{total:,}", each, warn=warn and total > 0)


def size(size_bytes: float | None) -> Cell:
    """Bytes in the unit that suits them."""
    return missing() if size_bytes is None else given(format_bytes(round(size_bytes)))
