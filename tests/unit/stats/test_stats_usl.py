"""The scalability law is recovered from noise; what the sweep doesn't show isn't named."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import curve_fit
from thinned import WHOLE, in_test_all

from dyno.stats import UslFit, fit_usl, knee

LEVELS = np.array([1, 2, 4, 8, 16, 32, 64.0])
TRUE = (1000.0, 0.04, 0.0006)
N_STAR, N95 = math.sqrt(0.96 / 0.0006), 25.9
# SPEC SDM91, the sweep that is fitted in the literature; published there: N* 96.5.
SDM91_LEVELS = np.array([1, 18, 36, 72, 108, 144, 216.0])
SDM91 = np.array([64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2])


def law(n: np.ndarray, rate: float, sigma: float, kappa: float) -> np.ndarray:
    return rate * n / (1 + sigma * (n - 1) + kappa * n * (n - 1))


def sweeps(
    seed: int, *, truth: tuple[float, float, float] = TRUE, levels: np.ndarray = LEVELS,
    sessions: int = 100, blocks: int = 6, cv: float = 0.03,
) -> list[UslFit]:  # fmt: skip
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(sessions):
        noise = np.exp(cv * rng.standard_normal((blocks, len(levels))))
        fitted = fit_usl(levels, law(levels, *truth) * noise)
        assert fitted is not None
        found.append(fitted)
    return found


@pytest.mark.slow
def test_the_peak_and_kappa_are_recovered() -> None:
    found = sweeps(51)
    stars = [f.n_star for f in found if f.n_star is not None]
    assert len(stars) >= 95
    assert np.quantile(stars, 0.05) > 0.93 * N_STAR
    assert np.quantile(stars, 0.95) < 1.07 * N_STAR
    assert np.median([f.rate for f in found]) == pytest.approx(TRUE[0], rel=0.01)
    assert np.median([f.sigma for f in found]) == pytest.approx(TRUE[1], rel=0.05)
    assert all(f.fits for f in found)


@pytest.mark.slow
@pytest.mark.parametrize("blocks", [5, 8, 12] if WHOLE else [5])
def test_the_interval_of_kappa_covers(blocks: int) -> None:
    found = sweeps(52, blocks=blocks, sessions=200)
    ends = [f.kappa.bounds for f in found]
    held = [low <= TRUE[2] <= high for low, high in ends]
    assert np.mean(held) >= 0.91


@in_test_all
def test_negative_control_percentiles_of_a_bootstrap_do_not_cover_at_five_blocks() -> None:
    rng = np.random.default_rng(53)
    held = []
    for _ in range(60):
        x = law(LEVELS, *TRUE) * np.exp(0.03 * rng.standard_normal((5, len(LEVELS))))
        kappas = []
        for _ in range(60):
            fitted = fit_usl(LEVELS, np.exp(np.log(x[rng.integers(0, 5, 5)]).mean(axis=0)))
            assert fitted is not None
            kappas.append(fitted.kappa.value)
        held.append(np.quantile(kappas, 0.025) <= TRUE[2] <= np.quantile(kappas, 0.975))
    assert np.mean(held) < 0.90


@pytest.mark.slow
def test_no_peak_is_named_where_the_sweep_ends_before_it() -> None:
    found = sweeps(54, levels=LEVELS[:5])
    assert [f for f in found if f.n_star is not None] == []


@pytest.mark.slow
def test_no_peak_is_named_where_there_is_none() -> None:
    found = sweeps(55, truth=(1000.0, 0.04, 0.0))
    assert np.mean([f.kappa.bounds[0] == 0 for f in found]) >= 0.95
    assert [f for f in found if f.n_star is not None] == []


@pytest.mark.slow
def test_negative_control_a_monotone_curve_fits_well_and_tells_no_kappa() -> None:
    found = sweeps(56, levels=LEVELS[:5])
    assert np.mean([f.residual_max < 0.05 for f in found]) >= 0.95
    assert np.mean([f.kappa.bounds[0] == 0 for f in found]) >= 0.2


def test_the_published_sweep_agrees_with_an_independent_fit() -> None:
    fitted = fit_usl(SDM91_LEVELS, SDM91)
    assert fitted is not None
    expected, _ = curve_fit(
        law, SDM91_LEVELS, SDM91, p0=[65, 0.05, 1e-4], bounds=(0, np.inf), sigma=SDM91
    )
    assert (fitted.rate, fitted.sigma, fitted.kappa.value) == pytest.approx(
        tuple(expected), rel=1e-3
    )
    assert math.sqrt((1 - fitted.sigma) / fitted.kappa.value) == pytest.approx(96.5, rel=0.05)
    assert fitted.fits
    # One block: no interval, so no peak either.
    assert (fitted.kappa.interval, fitted.n_star) == (None, None)


def test_a_cliff_does_not_fit() -> None:
    x = law(LEVELS, 1000, 0.02, 0.0)
    x[4:] *= 0.4
    fitted = fit_usl(LEVELS, np.tile(x, (5, 1)))
    assert fitted is not None
    assert not fitted.fits


def test_three_levels_are_too_few() -> None:
    assert fit_usl(LEVELS[:3], law(LEVELS[:3], *TRUE)) is None


def test_missing_levels_of_blocks_are_left_out() -> None:
    x = np.tile(law(LEVELS, *TRUE), (5, 1))
    x[0, 3] = x[1, 6] = np.nan
    x[:, 1] = np.nan
    fitted = fit_usl(LEVELS, x)
    assert fitted is not None
    assert fitted.kappa.value == pytest.approx(TRUE[2], rel=1e-4)
    assert fitted.kappa.bounds[0] == pytest.approx(TRUE[2], rel=1e-3)


@given(st.floats(1e-2, 1e6), st.floats(0, 0.5), st.floats(0, 0.01), st.permutations(range(7)))
@pytest.mark.slow
def test_without_noise_the_law_is_found_in_any_order_and_unit(
    rate: float, sigma: float, kappa: float, order: list[int]
) -> None:
    x = law(LEVELS, rate, sigma, kappa)
    fitted = fit_usl(LEVELS[order], x[order])
    assert fitted is not None
    assert fitted.residual_max < 1e-4
    assert fitted.throughput(LEVELS) == pytest.approx(x, rel=1e-4)


def test_n95_lies_near_its_truth_and_needs_no_law() -> None:
    rng = np.random.default_rng(57)
    levels = np.array([1, 2, 4, 8, 16, 20, 24, 26, 28, 32, 40, 64.0])
    found = []
    for _ in range(100):
        noise = np.exp(0.03 * rng.standard_normal((8, len(levels))))
        near = knee(levels, law(levels, *TRUE) * noise)
        assert near is not None
        found.append(near.n95)
    assert 20 <= np.quantile(found, 0.05) <= np.median(found) <= N95 + 3
    assert np.quantile(found, 0.95) <= 32


def test_the_knee_of_known_medians() -> None:
    near = knee([1, 2, 4, 8, 16], [[10, 19, 36, 35, 20], [10, 21, 38, 39, 20], [10, 20, 37, 37, 2]])
    assert near is not None
    assert (near.peak_level, near.peak, near.n95, near.at_edge) == (4, 37, 4, False)
    rising = knee([8, 1, 2], [[30.0, 10, 20]])
    assert rising is not None
    assert (rising.peak_level, rising.n95, rising.at_edge) == (8, 8, True)
    assert knee([1, 2], [[np.nan, np.nan]]) is None


def test_levels_are_positive() -> None:
    with pytest.raises(ValueError, match="positive"):
        fit_usl([0, 1, 2, 4], [1, 2, 3, 4])
