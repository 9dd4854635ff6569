"""MSER-5 finds where a warm-up ends, does little harm where there is none, and can't do wonders."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from load_models import Floats, steady, warming

from dyno.stats import mser5, steadiness
from dyno.stats.warmup import BATCH

TRIALS = 300


def means_after_the_cut(series: Floats) -> Floats:
    return np.array([trial[mser5(trial).values :].mean() for trial in series])


def test_the_bias_of_a_transient_goes_away() -> None:
    series = warming(np.random.default_rng(21), TRIALS, 180, tau_s=10)
    assert np.mean(series) - 1 < -0.015
    assert abs(np.mean(means_after_the_cut(series)) - 1) < 0.003


def test_a_steady_trial_loses_little() -> None:
    series = steady(np.random.default_rng(22), TRIALS, 180)
    cuts = np.array([mser5(trial).values for trial in series])
    assert np.median(cuts) == 0
    assert np.mean(cuts > 18) < 0.20
    assert abs(np.mean(means_after_the_cut(series)) - 1) < 0.002


def test_negative_control_no_cut_rescues_a_trial_that_is_too_short() -> None:
    series = warming(np.random.default_rng(23), TRIALS, 180, tau_s=60, by=0.3)
    assert np.mean(means_after_the_cut(series)) - 1 > 0.02
    judged = [steadiness(trial[(cut := mser5(trial)).values :], cut=cut) for trial in series]
    assert np.mean([not s.steady for s in judged]) > 0.5


def test_negative_control_six_batches_are_too_few() -> None:
    series = steady(np.random.default_rng(24), TRIALS, 30)
    assert np.mean([mser5(trial).at_bound for trial in series]) > 0.10


def test_a_transient_to_the_very_end_lands_at_the_bound() -> None:
    cut = mser5(np.linspace(1, 2, 100))
    assert cut.at_bound
    assert cut.values == 50


def test_equal_values_are_not_cut() -> None:
    assert mser5(np.full(100, 7.0)) == mser5(np.zeros(100))
    assert mser5(np.full(100, 7.0)).values == 0


def test_too_short_a_run_says_so() -> None:
    cut = mser5(np.arange(19.0))
    assert (cut.known, cut.values, cut.at_bound) == (False, 0, False)


def test_what_is_not_finite_is_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        mser5([1.0, np.nan] * 20)


@given(st.lists(st.integers(0, 1000), min_size=20, max_size=90))
def test_the_cut_is_the_best_one(values: list[int]) -> None:
    batches = [np.mean(values[i : i + BATCH]) for i in range(0, len(values) - BATCH + 1, BATCH)]

    def badness(d: int) -> float:
        rest = np.array(batches[d:])
        return float(np.sum((rest - rest.mean()) ** 2) / len(rest) ** 2)

    allowed = [badness(d) for d in range(len(batches) // 2 + 1)]
    assert badness(mser5(values).values // BATCH) <= min(allowed) + 1e-9 * (1 + max(allowed))
