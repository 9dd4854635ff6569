"""Response times of a kind of op over several trials: histograms are added up, then queried."""

from __future__ import annotations

from dataclasses import dataclass

from dyno.analysis.load.histograms import Histogram, merged
from dyno.analysis.measures import carries
from dyno.spec.summary import OpSummary


@dataclass(frozen=True)
class ResponseTimes:
    """Mean and max are exact, quantiles up to 0.1 % too high."""

    count: int
    mean_ms: float
    max_ms: float
    histogram: Histogram

    def quantile_ms(self, quantile: float) -> float | None:
        """None if there are too few ops for it."""
        if not carries(self.histogram.count, quantile):
            return None
        return self.histogram.quantiles_ms([quantile])[0]


def response_times(found: list[OpSummary]) -> ResponseTimes | None:
    """None if there are no ops."""
    count = sum(op.count for op in found)
    if not count:
        return None
    return ResponseTimes(
        count=count,
        mean_ms=sum(op.mean_ns * op.count for op in found) / count / 1e6,
        max_ms=max(op.max_ns for op in found) / 1e6,
        histogram=merged(op.histogram for op in found),
    )
