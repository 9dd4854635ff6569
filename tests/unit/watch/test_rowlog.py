"""The row log's fill, its trend, and when to warn."""

from __future__ import annotations

import pytest
from watched import make_job, make_reading

from dyno.watch import Fill
from dyno.watch.rowlog import RowLog


def filled(*pcts: float, left_s: float | None) -> Fill | None:
    """The fill after readings of each second."""
    log = RowLog()
    for second, pct in enumerate(pcts):
        reading = make_reading(make_job(), rowlog_pct=pct, rowlog_rows=100)
        log.add(float(second), reading)
    return log.fill(reading, left_s)


def test_the_trend_says_when_it_is_full() -> None:
    fill = filled(*range(0, 40, 2), left_s=10.0)
    assert fill is not None
    assert fill.full_in_s == pytest.approx((99 - 38) / 2)
    assert fill.warning is None
    assert (fill.pct, fill.rows) == (38, 100)


def test_a_log_that_is_full_before_the_end_is_warned_of() -> None:
    fill = filled(*range(0, 40, 2), left_s=60.0)
    assert fill is not None
    assert fill.warning is not None
    assert "1799" in fill.warning


def test_a_log_that_is_nearly_full_is_warned_of_whatever_the_eta() -> None:
    for left_s in (None, 0.5):
        fill = filled(85, 85, 85, left_s=left_s)
        assert fill is not None
        assert fill.warning is not None
        assert fill.full_in_s is None


def test_a_log_at_rest_is_never_full() -> None:
    fill = filled(20, 20, 20, 20, left_s=1e9)
    assert fill == Fill(20, 100, None, None)


def test_a_new_log_begins_at_its_start() -> None:
    fill = filled(50, 60, 70, 1, 1, 1, left_s=1e9)
    assert fill == Fill(1, 100, None, None)


def test_only_late_readings_make_the_trend() -> None:
    fast_then_slow = [*range(0, 50, 5), *(50 + n / 10 for n in range(12))]
    fill = filled(*fast_then_slow, left_s=None)
    assert fill is not None
    assert fill.full_in_s == pytest.approx((99 - 51.1) / 0.1, rel=0.01)


def test_no_row_log_is_not_an_empty_one() -> None:
    log = RowLog()
    reading = make_reading()
    log.add(0.0, reading)
    assert log.fill(reading, None) is None
