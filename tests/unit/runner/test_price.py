"""Which ops of a measurement count."""

from __future__ import annotations

from dyno.runner.crashes.price import ended
from dyno.spec.events import Bin, Interval


def interval(index: int, *counts: int) -> Interval:
    """A second of the load, which begins 5.2 s after dynoload."""
    bins = [Bin(ended=count, heartbeat_late_ms=0.0) for count in counts]
    return Interval(
        event="interval",
        phase="measure",
        index=index,
        t_s=5.2 + index,
        duration_s=1.0,
        ops=[],
        bins=bins,
    )


def test_ops_count_from_the_end_of_the_warmup_to_the_end_of_the_window() -> None:
    intervals = [interval(n, *([1] * 10 if n == 0 else [10] * 10)) for n in range(4)]
    ops, window_s = ended(intervals, after_s=1.0, window_s=2.0)
    assert (ops, round(window_s, 6)) == (200, 2.0)


def test_a_load_that_ended_early_counts_with_the_time_it_had() -> None:
    ops, window_s = ended([interval(0, *[3] * 10)], after_s=0.5, window_s=2.0)
    assert (ops, round(window_s, 6)) == (15, 0.5)


def test_nothing_is_no_op() -> None:
    assert ended([], after_s=1.0, window_s=2.0) == (0, 0.0)
