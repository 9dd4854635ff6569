"""The signed-rank statistic against brute force, scipy's exact mode and R's published example."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from dyno.stats import Estimate, hodges_lehmann, p_value, signed_rank, student_mean
from dyno.stats.rank import attained_level, critical_value, null_cdf, signed_rank_rows

FEW = settings(max_examples=80, deadline=None, derandomize=True, database=None)
CONTRASTS = st.lists(
    st.floats(-10, 10, allow_nan=False, allow_subnormal=False), min_size=1, max_size=24
)
TIED = st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=24)

# Hamilton depression scores, Hollander & Wolfe (1973), p. 29: the example of R's ?wilcox.test,
# which prints V = 40, p = 0.03906, (pseudo)median 0.46, 95 percent interval 0.010 to 0.786.
BEFORE = np.array([1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30])
AFTER = np.array([0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29])


@pytest.mark.parametrize("n", range(1, 11))
def test_null_is_the_count_of_all_sign_patterns(n: int) -> None:
    signs = np.array(list(itertools.product((0, 1), repeat=n)))
    w_plus = signs @ np.arange(1, n + 1)
    counted = np.bincount(w_plus, minlength=n * (n + 1) // 2 + 1).cumsum() / 2**n
    assert np.array_equal(null_cdf(n), counted)


@pytest.mark.parametrize("n", [60, 200])
def test_null_matches_integer_arithmetic(n: int) -> None:
    counts = [1]
    for k in range(1, n + 1):
        longer = counts + [0] * k
        for i, c in enumerate(counts):
            longer[i + k] += c
        counts = longer
    total = 0
    expected = []
    for c in counts:
        total += c
        expected.append(float(Fraction(total, 2**n)))
    np.testing.assert_allclose(null_cdf(n), expected, rtol=1e-12)


@pytest.mark.parametrize("n", [0, 501])
def test_null_refuses_sizes_it_does_not_keep(n: int) -> None:
    with pytest.raises(ValueError, match="1 to 500 blocks"):
        null_cdf(n)


def test_smallest_p_is_two_to_the_one_minus_n() -> None:
    assert [p_value(np.arange(1.0, n + 1)) for n in (1, 5, 6, 7, 8)] == [
        1.0, 0.0625, 0.03125, 0.015625, 0.0078125,
    ]  # fmt: skip
    assert critical_value(7, 0.0140) == -1
    assert critical_value(8, 0.0140) == 0
    assert attained_level(7, 0.0140) == 0.0
    assert attained_level(8, 0.0140) == 0.0078125


@pytest.mark.parametrize("n", [3, 8, 12, 18, 27, 40, 49])
def test_p_agrees_with_scipy_exact_mode(n: int) -> None:
    rng = np.random.default_rng(n)
    for shift in (0.0, 0.5, 1.0):
        sample = rng.standard_t(3, n) + shift
        assert p_value(sample) == pytest.approx(
            scipy_stats.wilcoxon(sample, method="exact").pvalue, rel=1e-12
        )


@pytest.mark.parametrize("n", [8, 12, 30])
def test_interval_is_what_the_exact_test_does_not_reject(n: int) -> None:
    sample = np.random.default_rng(n).standard_normal(n)
    p_star = 0.0140
    found = signed_rank(sample, p_star=p_star)

    def rejected(centre: float) -> bool:
        p: float = scipy_stats.wilcoxon(sample - centre, method="exact").pvalue
        return p <= p_star

    for bound, outwards in zip(found.estimate.bounds, (-1e-7, 1e-7), strict=True):
        assert rejected(bound + outwards)
        assert not rejected(bound - outwards)


def test_published_example_of_r() -> None:
    found = signed_rank(BEFORE - AFTER, p_star=0.05)
    assert found.p == pytest.approx(0.03906, abs=5e-6)
    assert found.estimate.value == pytest.approx(0.46, abs=1e-9)
    assert found.estimate.interval == pytest.approx((0.010, 0.786), abs=1e-9)


def test_hodges_lehmann_by_hand() -> None:
    # Walsh averages of 0, 1, 5: 0, .5, 1, 2.5, 3, 5.
    assert hodges_lehmann([5.0, 0.0, 1.0]) == 1.75


@pytest.mark.parametrize(
    "sizes",
    [
        [1, 1, 1, 1, 1, 1, 1, 1],
        [0, 0, 0, 1, 2, 3, 4, 5],
        [0, 0, 1, 1, 2, 2, 3, 3, 3],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [1, 2, 3, 4, 5, 6, 7, 8],
    ],
)
def test_zeros_and_ties_are_never_anti_conservative(sizes: list[float]) -> None:
    # All sign patterns, equally likely where the arms are equal: the exact law of p.
    signs = np.array(list(itertools.product((-1.0, 1.0), repeat=len(sizes))))
    p = signed_rank_rows(signs * np.array(sizes), p_star=0.05).p
    for level in np.unique(p):
        assert np.mean(p <= level) <= level + 1e-12


def test_all_zero_contrasts_say_nothing_and_do_not_crash() -> None:
    found = signed_rank(np.zeros(8), p_star=0.0140)
    assert (found.estimate, found.p) == (Estimate(0.0, (0.0, 0.0)), 1.0)


def test_too_few_blocks_bound_nothing() -> None:
    found = signed_rank([0.1, 0.2, 0.3], p_star=0.0140)
    assert found.estimate.interval is None
    assert found.estimate.bounds == (-np.inf, np.inf)


@pytest.mark.parametrize("bad", [[], [[0.1]], [0.1, np.nan], [np.inf], np.zeros(501)])
def test_unusable_contrasts_are_refused(bad: list[float]) -> None:
    with pytest.raises(ValueError, match=r"contrasts|blocks"):
        signed_rank(bad, p_star=0.05)


@FEW
@given(st.one_of(CONTRASTS, TIED), st.sampled_from([0.0013, 0.0140, 0.05, 0.33]))
@example([0.0], 0.05)
def test_swapping_the_arms_negates_to_the_last_bit(d: list[float], p_star: float) -> None:
    there = signed_rank(d, p_star=p_star)
    back = signed_rank([-x for x in d], p_star=p_star)
    assert back.estimate == there.estimate.through(lambda value: -value)
    assert back.p == there.p


@FEW
@given(st.one_of(CONTRASTS, TIED), st.sampled_from([0.0013, 0.0140, 0.05, 0.33]))
def test_interval_excludes_zero_exactly_where_p_is_at_most_p_star(
    d: list[float], p_star: float
) -> None:
    found = signed_rank(d, p_star=p_star)
    low, high = found.estimate.bounds
    assert (low > 0 or high < 0) == (found.p <= p_star)
    assert low <= found.estimate.value <= high


@FEW
@given(st.one_of(CONTRASTS, TIED), st.randoms(use_true_random=False))
def test_block_order_is_irrelevant(d: list[float], random: object) -> None:
    shuffled = list(d)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert signed_rank(shuffled, p_star=0.05) == signed_rank(d, p_star=0.05)


@FEW
@given(TIED, st.sampled_from([0.25, 2.0, 1024.0]))
def test_scale_moves_estimate_and_interval_alike(d: list[float], factor: float) -> None:
    found = signed_rank(d, p_star=0.05)
    scaled = signed_rank([x * factor for x in d], p_star=0.05)
    assert scaled.estimate == found.estimate.through(lambda value: value * factor)
    assert scaled.p == found.p


def test_student_interval_matches_scipy() -> None:
    sample = BEFORE - AFTER
    found = student_mean(sample, p_star=0.05)
    expected = scipy_stats.ttest_1samp(sample, 0.0).confidence_interval(0.95)
    assert found.interval == pytest.approx((expected.low, expected.high), rel=1e-12)
    assert student_mean([0.5], p_star=0.05).interval is None
    with pytest.raises(ValueError, match="1 dimension"):
        student_mean([], p_star=0.05)
