"""Equal arms under five noise models: randomised blocks keep their level, other orders don't."""

from __future__ import annotations

import numpy as np
import pytest
from noise_models import MODELS, random_pairs, random_quads
from scipy import stats as scipy_stats

from dyno.stats.rank import attained_level, null_cdf, signed_rank_rows

SESSIONS = 10_000
BLOCKS = 20
ALPHA = 0.05


def false_positives(contrasts: np.ndarray) -> float:
    return float(np.mean(signed_rank_rows(contrasts, p_star=ALPHA).p <= ALPHA))


@pytest.mark.parametrize("model", MODELS)
def test_randomised_pairs_keep_their_level(model: str) -> None:
    rng = np.random.default_rng(11)
    runs = MODELS[model](rng, (SESSIONS, 2 * BLOCKS))
    assert 0.04 <= false_positives(random_pairs(rng, runs)) <= 0.06


@pytest.mark.parametrize("model", MODELS)
def test_randomised_quads_keep_their_level(model: str) -> None:
    rng = np.random.default_rng(12)
    runs = MODELS[model](rng, (SESSIONS, 4 * BLOCKS))
    assert 0.04 <= false_positives(random_quads(rng, runs)) <= 0.06


@pytest.mark.parametrize("model", ["drift", "autoregressive"])
def test_negative_control_all_a_then_all_b_must_fail(model: str) -> None:
    runs = MODELS[model](np.random.default_rng(13), (SESSIONS, 2 * BLOCKS))
    welch = scipy_stats.ttest_ind(runs[:, :BLOCKS], runs[:, BLOCKS:], axis=1, equal_var=False)
    assert np.mean(welch.pvalue <= ALPHA) >= 0.50


def test_negative_control_strict_abab_must_fail_in_step_with_the_noise() -> None:
    runs = MODELS["period two"](np.random.default_rng(14), (SESSIONS, 2 * BLOCKS))
    assert false_positives(runs[:, 1::2] - runs[:, 0::2]) == 1.0


def test_level_is_exact_on_cauchy_noise() -> None:
    contrasts = np.random.default_rng(15).standard_cauchy((20_000, BLOCKS))
    exact = attained_level(BLOCKS, ALPHA)
    standard_error = np.sqrt(exact * (1 - exact) / len(contrasts))
    assert abs(false_positives(contrasts) - exact) <= 3.5 * standard_error


@pytest.mark.parametrize("source", ["one heavy session", "one autoregressive session"])
def test_relabelling_the_arms_of_given_blocks_leaves_w_exactly_null(source: str) -> None:
    rng = np.random.default_rng(16)
    if source == "one heavy session":
        sizes = np.abs(rng.standard_cauchy(12))
    else:
        runs = MODELS["autoregressive"](rng, (1, 24))[0]
        sizes = np.abs(runs[1::2] - runs[0::2])
    coins = rng.integers(0, 2, (40_000, 12)) * 2 - 1
    p = signed_rank_rows(coins * sizes, p_star=ALPHA).p
    # Kolmogorov-Smirnov against the exact, discrete law of p; 1.63 is its 1 % point.
    lattice = np.unique(np.minimum(1.0, 2 * null_cdf(12)))
    attained = np.append(lattice[lattice < 1.0], 1.0)
    seen = np.array([np.mean(p <= level) for level in attained])
    assert np.max(np.abs(seen - attained)) <= 1.63 / np.sqrt(len(p))


def test_hodges_lehmann_beats_the_mean_under_bursts() -> None:
    rng = np.random.default_rng(17)
    contrasts = random_pairs(rng, MODELS["bursts"](rng, (SESSIONS, 2 * BLOCKS)))
    typical = signed_rank_rows(contrasts, p_star=ALPHA).estimate
    # Squared: how many times more blocks the mean needs.
    assert (np.mean(contrasts, axis=1).std() / typical.std()) ** 2 >= 4
