"""Costs of functions from samples: their differences sum, and how often one is found, in
simulations.
"""

from __future__ import annotations

import numpy as np
import pytest
from profile_models import (
    BASELINE,
    BLOCKS,
    DEARER,
    PLANTED,
    SAMPLES,
    dearer,
    rebuilt,
    sampled,
)
from scipy import stats as scipy_stats

from dyno.stats import (
    Floats,
    FlooredRows,
    Sampled,
    benjamini_hochberg,
    common_factors,
    counting_noise,
    differences,
    floored_t,
    shares_of_both,
)
from dyno.stats.sampled import SEEN_LEAST

SESSIONS = 400
ALPHA = 0.05


def judged(arm: Sampled, baseline: Sampled, factors: Floats | None = None) -> FlooredRows:
    noise = counting_noise(arm, baseline, factors)
    return floored_t(differences(arm, baseline, factors), noise)


def listed(arm: Sampled, baseline: Sampled, p: Floats) -> np.ndarray:
    """Which functions a comparison lists, of those that are seen often enough."""
    found = np.zeros(len(p), dtype=bool)
    seen = shares_of_both(arm, baseline) >= SEEN_LEAST
    found[seen] = benjamini_hochberg(p[seen]) <= ALPHA
    return found


def pairs(costs: Floats, *, seed: int, samples: int = SAMPLES, sessions: int = SESSIONS):
    rng = np.random.default_rng(seed)
    for _ in range(sessions):
        yield sampled(rng, costs, samples=samples), sampled(rng, BASELINE, samples=samples)


def counted(counts: list[list[float]], per_op: list[float]) -> Sampled:
    array = np.array(counts, dtype=np.float64)
    return Sampled(per_op=np.array(per_op), counts=array, totals=array.sum(axis=1))


def test_the_differences_of_all_functions_sum_to_that_of_the_arms() -> None:
    rng = np.random.default_rng(61)
    arm, baseline = sampled(rng, rebuilt(dearer())), sampled(rng, BASELINE)
    only_in_one = (arm.counts.sum(axis=0) == 0) != (baseline.counts.sum(axis=0) == 0)
    assert only_in_one.any()
    apart = differences(arm, baseline).sum(axis=1) - (arm.per_op - baseline.per_op)
    assert np.abs(apart).max() < 1e-9


def test_merged_rows_sum_to_the_same() -> None:
    rng = np.random.default_rng(62)
    arm, baseline = sampled(rng, dearer()), sampled(rng, BASELINE)
    rows = rng.integers(0, 5, len(BASELINE)).tolist()
    apart = differences(arm.merged(rows, 5), baseline.merged(rows, 5))
    assert apart.shape == (BLOCKS, 5)
    assert np.abs(apart.sum(axis=1) - (arm.per_op - baseline.per_op)).max() < 1e-9


def test_a_cost_is_the_exact_amount_times_the_share() -> None:
    one = counted([[30, 70, 0], [50, 50, 100]], [10.0, 8.0])
    assert one.costs.tolist() == [[3.0, 7.0, 0.0], [2.0, 2.0, 4.0]]
    # C^2 (n + 1/2) (1 - n / all) / all^2
    assert one.noise[0, 0] == pytest.approx(100 * 30.5 * 0.7 / 100**2)


def test_everything_together_has_no_counting_noise() -> None:
    one = counted([[30, 70], [20, 80]], [10.0, 8.0]).merged([0, 0], 1)
    assert one.noise.tolist() == [[0.0], [0.0]]
    assert one.costs.tolist() == [[10.0], [8.0]]


@pytest.mark.parametrize(
    ("per_op", "counts", "totals"),
    [
        ([1.0], [[1.0], [2.0]], [1.0]),
        ([1.0, 2.0], [[1.0], [2.0]], [1.0, 0.0]),
        ([1.0, -2.0], [[1.0], [2.0]], [1.0, 2.0]),
        ([1.0, float("nan")], [[1.0], [2.0]], [1.0, 2.0]),
        ([1.0, 2.0], [[1.0], [3.0]], [1.0, 2.0]),
        ([1.0, 2.0], [[1.0], [-1.0]], [1.0, 2.0]),
    ],
)
def test_impossible_samples_are_refused(per_op: list, counts: list, totals: list) -> None:
    with pytest.raises(ValueError, match=r"amounts|samples"):
        Sampled(per_op=np.array(per_op), counts=np.array(counts), totals=np.array(totals))


def test_equal_arms_list_nothing() -> None:
    found = [listed(a, b, judged(a, b).p).any() for a, b in pairs(BASELINE, seed=63)]
    assert np.mean(found) <= 0.02


def test_negative_control_a_plain_t_lists_functions_of_equal_arms() -> None:
    found = []
    for arm, baseline in pairs(BASELINE, seed=63):
        apart = differences(arm, baseline)
        spread = apart.std(axis=0, ddof=1)
        t = np.abs(apart.mean(axis=0)) / (spread / np.sqrt(BLOCKS) + 1e-12)
        found.append(listed(arm, baseline, 2 * scipy_stats.t.sf(t, BLOCKS - 1)).any())
    assert np.mean(found) >= 0.02


def test_planted_differences_are_found_with_intervals_of_the_expected_width() -> None:
    hits, widths, covered, false = [], [], [], []
    planted = rebuilt(dearer())
    truth = 100 * (planted - BASELINE)
    for arm, baseline in pairs(planted, seed=64, sessions=SESSIONS):
        result = judged(arm, baseline)
        found = listed(arm, baseline, result.p)
        seen = shares_of_both(arm, baseline) >= SEEN_LEAST
        hits.append(found[DEARER])
        widths.append(((result.high - result.low) / 2)[DEARER])
        covered.append(((result.low <= truth) & (truth <= result.high))[seen].mean())
        false.append(found[truth == 0].sum() / max(1, found.sum()))
    assert (np.mean(hits, axis=0)[:3] >= 0.9).all()
    assert 0.4 <= np.mean(hits, axis=0)[3] <= 0.7
    half = np.median(widths, axis=0)
    assert half[1] == pytest.approx(0.30, abs=0.04), PLANTED[1]
    assert half == pytest.approx([0.61, 0.30, 0.16, 0.11], rel=0.15)
    assert 0.95 <= np.mean(covered) <= 0.985
    assert np.mean(false) <= 0.05


def coverage(parts: int, *, samples: int, plain_above: bool = True) -> float:
    """How often the intervals of a few large parts cover, `parts` of all functions each."""
    rng = np.random.default_rng(65)
    rows = (np.arange(len(BASELINE)) % parts).tolist()
    covered = []
    for _ in range(SESSIONS):
        arm, baseline = (
            sampled(rng, BASELINE, samples=samples).merged(rows, parts) for _ in range(2)
        )
        apart, noise = differences(arm, baseline), counting_noise(arm, baseline)
        result = floored_t(apart, noise)
        low, high = result.low, result.high
        if not plain_above:
            shrunk = (4 * noise.mean(axis=0) + 7 * apart.var(axis=0, ddof=1)) / 11
            reach = scipy_stats.t.ppf(0.975, 11) * np.sqrt(
                np.maximum(noise.mean(axis=0), shrunk) / BLOCKS
            )
            low, high = result.mean - reach, result.mean + reach
        covered.append(((low <= 0) & (high >= 0)).mean())
    return float(np.mean(covered))


@pytest.mark.parametrize("samples", [SAMPLES, 10 * SAMPLES, 100 * SAMPLES])
def test_intervals_of_large_parts_cover(samples: int) -> None:
    assert coverage(3, samples=samples) >= 0.93


def test_negative_control_shrinking_what_counting_does_not_explain_loses_coverage() -> None:
    assert coverage(3, samples=100 * SAMPLES, plain_above=False) <= 0.91


def test_what_all_functions_share_is_not_listed_function_by_function() -> None:
    """With 35 times as many samples the largest functions are certain, and still not listed."""
    apart, beyond, factors = [], [], []
    for arm, baseline in pairs(1.03 * BASELINE, seed=66, samples=35 * SAMPLES, sessions=100):
        seen = shares_of_both(arm, baseline) >= SEEN_LEAST
        ours, theirs = arm.only(seen), baseline.only(seen)
        of_blocks = common_factors(ours, theirs)
        assert of_blocks is not None
        factors.append(np.exp(np.log(of_blocks).mean()))
        apart.append((benjamini_hochberg(judged(ours, theirs).p) <= ALPHA).any())
        beyond.append((benjamini_hochberg(judged(ours, theirs, of_blocks).p) <= ALPHA).any())
    assert np.mean(factors) == pytest.approx(1.03, abs=0.004)
    assert np.mean(apart) >= 0.1
    assert np.mean(beyond) <= 0.05


def test_a_few_dearer_functions_do_not_move_the_common_factor() -> None:
    found = []
    for arm, baseline in pairs(dearer(), seed=67, samples=10 * SAMPLES, sessions=50):
        seen = shares_of_both(arm, baseline) >= SEEN_LEAST
        factors = common_factors(arm.only(seen), baseline.only(seen))
        assert factors is not None
        found.append(np.log(factors).mean())
    assert np.mean(found) == pytest.approx(0, abs=0.004)


def test_of_few_functions_no_common_factor_is_known() -> None:
    one = counted([[10.0] * 9] * 3, [1.0] * 3)
    assert common_factors(one, one) is None
    ten = counted([[10.0] * 10] * 3, [1.0] * 3)
    assert common_factors(ten, ten) == pytest.approx([1.0] * 3)


@pytest.mark.parametrize(("times", "known"), [(1, None), (10, 0.5)])
def test_parts_that_a_dearer_arm_has_too_few_samples_to_see_have_no_factor(
    times: int, known: float | None
) -> None:
    """An op is ten times as dear by something else, so that two samples of each part are expected
    beside the baseline's twenty: eight parts with one would seem to cost half.
    """
    ours = np.array([[1.0] * 8 + [4.0] * 4]) * times
    theirs = np.full((1, 12), 20.0) * times
    arm = Sampled(per_op=np.array([10.0]), counts=ours, totals=np.array([240.0 * times]))
    baseline = Sampled(per_op=np.array([1.0]), counts=theirs, totals=np.array([240.0 * times]))
    factors = common_factors(arm, baseline)
    assert factors is None if known is None else factors == pytest.approx([known])


def test_swapping_the_arms_negates_the_differences_and_keeps_p() -> None:
    rng = np.random.default_rng(68)
    arm, baseline = sampled(rng, dearer()), sampled(rng, BASELINE)
    there, back = judged(arm, baseline), judged(baseline, arm)
    assert there.p.tolist() == back.p.tolist()
    assert there.low.tolist() == (-back.high).tolist()
