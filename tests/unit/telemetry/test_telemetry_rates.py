"""The arithmetic of rates, on any numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyno.telemetry.collector import RATE_WINDOW_MIN_S, Rates, rate_per_s

counts = st.integers(0, 2**53)
windows = st.floats(1e-3, 1e4)


@given(before=counts, more=counts, elapsed_s=windows)
def test_a_rate_times_its_window_is_what_was_counted(
    before: int, more: int, elapsed_s: float
) -> None:
    rate = rate_per_s(before, before + more, elapsed_s=elapsed_s)
    assert rate is not None
    assert rate >= 0
    assert rate * elapsed_s == pytest.approx(more)


@given(before=counts, less=st.integers(1, 2**53), elapsed_s=windows)
def test_a_counter_that_wrapped_or_was_reset_has_no_rate(
    before: int, less: int, elapsed_s: float
) -> None:
    assert rate_per_s(before, before - less, elapsed_s=elapsed_s) is None


@given(elapsed_s=st.floats(max_value=0))
def test_no_rate_without_a_window(elapsed_s: float) -> None:
    assert rate_per_s(1, 2, elapsed_s=elapsed_s) is None


@given(steps=st.lists(st.tuples(st.integers(0, 10**9), st.floats(0.001, 5)), max_size=40))
def test_rates_over_their_windows_add_up_to_the_whole_count(
    steps: list[tuple[int, float]],
) -> None:
    """Whatever the instants: windows too short to give a rate are counted by the next one."""
    rates, at_s, value, seen = Rates(), 50.0, 7, 0.0
    rates.update({"n": value}, at_s=at_s)
    window_start_s, counted = at_s, value
    for more, wait_s in steps:
        at_s, value = at_s + wait_s, value + more
        (rate,) = rates.update({"n": value}, at_s=at_s)[0].values()
        if rate is not None:
            seen += rate * (at_s - window_start_s)
            window_start_s, counted = at_s, value
    assert seen == pytest.approx(counted - 7)
    assert at_s - window_start_s < RATE_WINDOW_MIN_S


def test_a_counter_that_comes_back_starts_afresh() -> None:
    rates = Rates()
    assert rates.update({"n": 5}, at_s=0) == ({"n": None}, {})
    assert rates.update({}, at_s=1) == ({}, {})
    assert rates.update({"n": 500}, at_s=2) == ({"n": None}, {})
    assert rates.update({"n": 600}, at_s=4) == ({"n": 50.0}, {})


def test_after_running_backwards_the_next_window_starts_at_the_new_value() -> None:
    rates = Rates()
    rates.update({"n": 100}, at_s=0)
    values, reasons = rates.update({"n": 3}, at_s=1)
    assert values == {"n": None}
    assert reasons == {"n": "the counter ran backwards, from 100 to 3"}
    assert rates.update({"n": 13}, at_s=2) == ({"n": 10.0}, {})


def test_a_window_too_short_for_the_kernels_ticks_is_counted_by_the_next() -> None:
    rates = Rates()
    rates.update({"n": 0}, at_s=0)
    values, reasons = rates.update({"n": 8}, at_s=0.05)
    assert values == {"n": None}
    assert reasons == {"n": "less than 0.1 s after the sample before"}
    assert rates.update({"n": 10}, at_s=0.5) == ({"n": 20.0}, {})
