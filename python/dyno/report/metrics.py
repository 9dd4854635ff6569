"""What is measured, in words: the name of each metric, its unit, and which way is better.

A ratio of throughputs above 1 is better, one of times or latencies below 1: every table and picture
says which, and takes the words from here.
"""

from __future__ import annotations

from dataclasses import dataclass

from dyno.analysis.model import Compared, Figure, Findings, Metric
from dyno.report import numbers
from dyno.spec.claim import OF_SEVERAL_OPS, RATES


@dataclass(frozen=True)
class Words:
    """How a metric is spoken of. `many` is what ratios are of: "ratios of throughputs"."""

    noun: str
    many: str
    more_is_better: bool

    @property
    def title(self) -> str:
        """The noun at the head of a line; "p95 latency" stays as it is."""
        return self.noun if self.noun[1:2].isdigit() else self.noun.capitalize()

    @property
    def way(self) -> str:
        """Which way a figure is better."""
        return "more is better" if self.more_is_better else "less is better"

    @property
    def side(self) -> str:
        """Which way a ratio is better."""
        return "above 1 is better" if self.more_is_better else "below 1 is better"


WORDS: dict[Metric, Words] = {
    "time": Words("time", "times", more_is_better=False),
    "throughput": Words("throughput", "throughputs", more_is_better=True),
    "new_orders_per_min": Words("new orders/min", "new orders/min", more_is_better=True),
    "total_throughput": Words("total throughput", "total throughputs", more_is_better=True),
    "p50": Words("p50 latency", "p50 latencies", more_is_better=False),
    "p95": Words("p95 latency", "p95 latencies", more_is_better=False),
    "p99": Words("p99 latency", "p99 latencies", more_is_better=False),
    "p999": Words("p99.9 latency", "p99.9 latencies", more_is_better=False),
    "bytes_per_row": Words("size of a row", "sizes of rows", more_is_better=False),
    "task_time": Words("time of a task", "times of tasks", more_is_better=False),
    "throughput_beside": Words("throughput beside", "throughputs beside", more_is_better=True),
    "throughput_kept": Words("kept throughput", "shares of kept throughput", more_is_better=True),
    "task_least": Words("least value", "least values", more_is_better=False),
    "load_time": Words("load time", "load times", more_is_better=False),
    "steadiness": Words(
        "variation of throughput", "variations of throughput", more_is_better=False
    ),
}


def headline(findings: Findings) -> Metric:
    """The rate that a run of loads is about: its throughput, of tpcc its new orders/min, of
    linkbench the throughput of all ops.
    """
    found = {figure.metric for figure in findings.figures}
    shared = (metric for metric in RATES if metric in OF_SEVERAL_OPS)
    return next((metric for metric in shared if metric in found), "throughput")


def unit_of(rate: Metric) -> str:
    """The unit of a rate."""
    return "new orders/min" if rate == "new_orders_per_min" else "ops/s"


def times_per_s(rate: Metric) -> int:
    """How much more a rate is than its count a second."""
    return 60 if rate == "new_orders_per_min" else 1


def shown(figure: Figure, value: float | None, *, unit: bool = True) -> str:
    """A value of a figure: "12,340 ops/s", "1.23 ms"; a throughput also without its unit."""
    if value is None:
        return numbers.MISSING
    if figure.unit == "ms":
        return numbers.milliseconds(value)
    return f"{numbers.rate(value)} {figure.unit}" if unit else numbers.rate(value)


def compared_metrics(findings: Findings) -> list[Metric]:
    """The metrics that are compared; the first is the one that most is said about."""
    return list(dict.fromkeys(compared.metric for compared in findings.compared))


def better(compared: Compared) -> bool | None:
    """Whether the numerator is better; None where they are not shown to differ."""
    if compared.state != "different" or compared.ratio is None or compared.ratio == 1:
        return None
    return (compared.ratio > 1) == WORDS[compared.metric].more_is_better
