"""Which metrics a run is about, their values in words, and which arm is better by them."""

from __future__ import annotations

from dyno.analysis.load.model import Figure
from dyno.analysis.model import Findings
from dyno.analysis.verdicts.model import Compared
from dyno.report import numbers
from dyno.spec.metrics import METRICS, MetricKey


def headline(findings: Findings) -> MetricKey:
    """The rate that a run of loads is about: its throughput, for tpcc its new orders/min, for
    linkbench the throughput of all ops.
    """
    found = {figure.metric for figure in findings.figures}
    shared = (key for key, row in METRICS.items() if row.is_rate and row.owner == "all ops")
    return next((key for key in shared if key in found), "throughput")


def shown(figure: Figure, value: float | None, *, unit: bool = True) -> str:
    """A value of a figure: "12,340 ops/s", "1.23 ms"; a throughput also without its unit."""
    if value is None:
        return numbers.MISSING
    if figure.unit == "ms":
        return numbers.milliseconds(value)
    return f"{numbers.rate(value)} {figure.unit}" if unit else numbers.rate(value)


def compared_metrics(findings: Findings) -> list[MetricKey]:
    """The metrics that are compared, the most important one first."""
    return list(dict.fromkeys(compared.metric for compared in findings.compared))


def better(compared: Compared) -> bool | None:
    """Whether the numerator is better; None if they aren't shown to differ."""
    ratio = compared.ratio.value if compared.ratio else 1.0
    if compared.state != "different" or ratio == 1:
        return None
    return (ratio > 1) == METRICS[compared.metric].more_is_better
