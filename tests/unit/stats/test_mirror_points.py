"""Shares in points of the whole difference: one factor for all, and rows that add up."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dyno.stats import Estimate
from dyno.stats.mirror import points, rounded_to_sum

FEW = settings(max_examples=80, deadline=None, derandomize=True, database=None)


def test_points_add_up_to_the_difference_in_percent() -> None:
    shares = [Estimate(0.12, (0.10, 0.14)), Estimate(0.06), Estimate(0.027)]
    found = points(shares, Estimate(0.2, (0.19, 0.22)))
    assert [row.value for row in found.rows] == pytest.approx([13.33, 6.67, 3.00], abs=0.01)
    assert found.total == pytest.approx(23.0, abs=0.01)
    assert found.total == pytest.approx(100 * math.expm1(0.207))
    assert (found.rounded, found.total_rounded) == ((13.0, 7.0, 3.0), 23.0)
    assert found.agrees
    factor = found.rows[0].value / 0.12
    assert found.rows[0].interval == pytest.approx((0.10 * factor, 0.14 * factor))


def test_a_sum_outside_the_measured_interval_is_flagged() -> None:
    assert not points([Estimate(0.12)], Estimate(0.2, (0.19, 0.21))).agrees


def test_small_differences_and_opposite_signs() -> None:
    found = points([Estimate(0.2), Estimate(-0.2)], Estimate(0.0, (-0.01, 0.01)), decimals=1)
    assert found.rounded == (20.0, -20.0)
    assert found.total == 0.0
    assert points([Estimate(1e-4)], Estimate(1e-4)).total == pytest.approx(0.01)


@FEW
@given(st.lists(st.floats(-100, 100), min_size=1, max_size=9), st.integers(0, 2))
def test_rounded_rows_add_up_and_move_by_less_than_a_unit(x: list[float], decimals: int) -> None:
    found = rounded_to_sum(x, decimals=decimals)
    unit = 10.0**-decimals
    assert abs(math.fsum(found) - math.fsum(x)) <= unit / 2 + 1e-9
    assert all(abs(a - b) < unit + 1e-9 for a, b in zip(found, x, strict=True))
