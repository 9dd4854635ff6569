"""An interval read for the eye, and what a trial's watcher gets of its events."""

from __future__ import annotations

import pytest
from hdrh.histogram import HdrHistogram

from dyno.runner.progress import IntervalRead, Silent, TrialStep, TrialWatch
from dyno.spec.events import Interval, IntervalOp, PhaseMark


def encoded(*latencies_ms: float) -> str:
    histogram = HdrHistogram(1, 3_600_000_000_000, 3)
    for latency_ms in latencies_ms:
        histogram.record_value(round(latency_ms * 1e6))
    text: bytes = histogram.encode()
    return text.decode()


def op(outcome: str, *latencies_ms: float, name: str = "a") -> IntervalOp:
    return IntervalOp(
        op=name, outcome=outcome, count=len(latencies_ms), histogram=encoded(*latencies_ms)
    )


def interval(*ops: IntervalOp, duration_s: float = 1.0, index: int = 0) -> Interval:
    return Interval(
        event="interval",
        phase="measure",
        index=index,
        t_s=5.0,
        duration_s=duration_s,
        ops=list(ops),
        retries=2,
    )


def test_the_percentile_is_over_the_ok_ops_of_all_kinds() -> None:
    read = IntervalRead(
        interval(
            op("ok", *[1.0] * 90), op("ok", *[9.0] * 10, name="b"), op("failed", *[999.0] * 50)
        )
    )
    assert read.p95_ms == pytest.approx(9.0, rel=0.001)
    assert read.ops_per_s == 100
    assert read.failed == 50


def test_an_empty_second_has_no_percentile_and_no_ops() -> None:
    read = IntervalRead(interval())
    assert read.p95_ms is None
    assert read.ops_per_s == 0
    assert IntervalRead(interval(op("failed", 1.0))).p95_ms is None


def test_a_short_last_interval_counts_by_its_own_length() -> None:
    read = IntervalRead(interval(op("ok", 1.0, 1.0), duration_s=0.5, index=29))
    assert read.ops_per_s == 4
    assert read.end_s == 29.5


class Heard(Silent):
    """A watcher that remembers."""

    def __init__(self) -> None:
        self.steps: list[str] = []
        self.intervals: list[IntervalRead] = []

    def step(self, step: TrialStep) -> None:
        self.steps.append(f"{step.arm} {step.step}")

    def interval(self, read: IntervalRead) -> None:
        self.intervals.append(read)


def mark(phase: str, state: str) -> PhaseMark:
    return PhaseMark.model_validate({"event": "phase", "phase": phase, "state": state, "t_s": 0.0})


def test_a_watcher_hears_of_phases_as_they_begin_and_of_every_interval() -> None:
    heard = Heard()
    where = TrialStep(block=1, blocks=2, position=1, positions=4, arm="A", step="")
    watch = TrialWatch(heard, where)
    for event in (mark("warmup", "begin"), mark("warmup", "end"), mark("measure", "begin")):
        watch.hear(event)
    watch.hear(interval())
    assert heard.steps == ["A warming up", "A measuring"]
    assert [read.phase for read in heard.intervals] == ["measure"]
