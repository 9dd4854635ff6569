"""The floored t, Benjamini and Hochberg, the weighted median, and what a profile resolves."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from dyno.stats import (
    benjamini_hochberg,
    floored_t,
    profile_error,
    samples_for,
    samples_of_trial,
    smallest_found,
)
from dyno.stats.common import weighted_median

EIGHT = np.array([1.0, -1.0, 0.5, -0.5, 0.25, -0.25, 2.0, -2.0])


def test_a_spread_below_counting_noise_is_raised_to_it() -> None:
    result = floored_t(np.full((8, 1), 0.5), np.full((8, 1), 4.0))
    # variance 4, 8 blocks, 11 degrees of freedom
    error = math.sqrt(4 / 8)
    assert result.p[0] == pytest.approx(2 * scipy_stats.t.sf(0.5 / error, 11))
    assert result.high[0] - 0.5 == pytest.approx(scipy_stats.t.ppf(0.975, 11) * error)


def test_a_spread_near_counting_noise_is_drawn_towards_it() -> None:
    seen = EIGHT.var(ddof=1)
    noise = seen / 1.5
    result = floored_t(EIGHT[:, None] + 1, np.full((8, 1), noise))
    error = math.sqrt((4 * noise + 7 * seen) / 11 / 8)
    assert result.p[0] == pytest.approx(2 * scipy_stats.t.sf(1 / error, 11))


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_a_spread_beyond_counting_noise_has_the_plain_t(noise: float) -> None:
    result = floored_t(EIGHT[:, None] + 1, np.full((8, 1), noise))
    assert result.p[0] == pytest.approx(scipy_stats.ttest_1samp(EIGHT + 1, 0).pvalue)
    low, high = scipy_stats.t.interval(0.95, 7, 1, EIGHT.std(ddof=1) / math.sqrt(8))
    assert (result.low[0], result.high[0]) == pytest.approx((low, high))


def test_without_any_spread_only_zero_is_not_different() -> None:
    result = floored_t(np.array([[0.0, 1.0]] * 3), np.zeros((3, 2)))
    assert result.p.tolist() == [1.0, 0.0]
    assert result.covers_zero(0)
    assert not result.covers_zero(1)


@pytest.mark.parametrize("shape", [(1, 3), (3,)])
def test_fewer_than_two_blocks_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="at least 2 blocks"):
        floored_t(np.zeros(shape), np.zeros(shape))


@given(st.lists(st.floats(0, 1), max_size=30))
def test_benjamini_hochberg_is_scipys(p: list[float]) -> None:
    expected = scipy_stats.false_discovery_control(p) if p else []
    assert benjamini_hochberg(p) == pytest.approx(list(expected))


@pytest.mark.parametrize("p", [[1.1], [-0.1], [float("nan")], [[0.5]]])
def test_what_is_no_list_of_p_values_is_refused(p: list) -> None:
    with pytest.raises(ValueError, match="p-values"):
        benjamini_hochberg(p)


@pytest.mark.parametrize(
    ("values", "weights", "median"),
    [
        ([3.0, 1.0, 2.0], [1.0, 1.0, 1.0], 2.0),
        ([1.0, 2.0], [1.0, 1.0], 1.5),
        ([1.0, 2.0, 3.0], [1.0, 1.0, 5.0], 3.0),
        ([-math.inf, 0.0, math.inf], [1.0, 2.0, 1.0], 0.0),
    ],
)
def test_weighted_median(values: list[float], weights: list[float], median: float) -> None:
    assert weighted_median(np.array(values), np.array(weights)) == median


def test_a_median_needs_weight() -> None:
    with pytest.raises(ValueError, match="weight"):
        weighted_median(np.array([1.0]), np.array([0.0]))


def test_what_a_profile_resolves() -> None:
    # 20 s at 99 a second on 1.8 busy CPUs.
    samples = samples_of_trial(per_s=99, busy_cpus=1.8, length_s=20)
    assert samples == pytest.approx(3564)
    counting = 100 * math.sqrt(2 * 0.02 / (samples * 8))
    own = 100 * 0.03 * 0.02 * math.sqrt(2 / 8)
    error = profile_error(0.02, samples=samples, blocks=8)
    assert error == pytest.approx(math.hypot(counting, own))
    assert smallest_found(0.02, samples=samples, blocks=8) == pytest.approx(5 * error)
    assert samples_for(0.5, 0.01) == pytest.approx(20_000)


def test_a_function_that_varies_is_not_resolved_by_more_samples() -> None:
    assert profile_error(0.1, samples=1e12, blocks=8) == pytest.approx(0.15)


def test_planning_for_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="no error"):
        profile_error(1.5, samples=100, blocks=8)
    with pytest.raises(ValueError, match="difference of 0"):
        samples_for(0, 0.1)
