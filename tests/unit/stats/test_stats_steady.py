"""Drift isn't taken for noise: what drifts is named, what doesn't mostly isn't."""

from __future__ import annotations

import numpy as np
import pytest
from load_models import steady
from scipy.stats import theilslopes

from dyno.stats import Cut, steadiness
from dyno.stats.steady import _slope

NO_CUT = Cut(values=0)
TRIALS = 300


def share_not_steady(series: np.ndarray) -> float:
    judged = [steadiness(trial, cut=NO_CUT) for trial in series]
    assert all(s.known for s in judged)
    return float(np.mean([not s.steady for s in judged]))


@pytest.mark.parametrize("cv", [0.03, 0.10])
@pytest.mark.parametrize("seconds", [8, 12, 30, 60, 120])
def test_noise_is_seldom_taken_for_drift(seconds: int, cv: float) -> None:
    assert share_not_steady(steady(np.random.default_rng(31), TRIALS, seconds, cv=cv)) <= 0.12


def test_negative_control_a_slope_without_its_interval_takes_noise_for_drift() -> None:
    series = steady(np.random.default_rng(31), TRIALS, 30, cv=0.10)
    drifts = [steadiness(trial, cut=NO_CUT).drift for trial in series]
    assert np.mean([abs(drift or 0.0) > 0.05 for drift in drifts]) > 0.5


@pytest.mark.parametrize(("seconds", "power"), [(12, 0.5), (30, 0.95), (60, 0.95), (120, 0.95)])
def test_a_drift_of_a_fifth_is_seen(seconds: int, power: float) -> None:
    series = steady(np.random.default_rng(32), TRIALS, seconds)
    assert share_not_steady(series + 0.2 * np.arange(seconds) / seconds) >= power


def test_a_certain_drift_of_a_hundredth_does_not_matter() -> None:
    judged = steadiness(1 + 0.01 * np.arange(60) / 60, cut=NO_CUT)
    assert judged.steady
    assert judged.drift == pytest.approx(0.01, rel=0.05)


def test_a_drift_has_its_size_and_direction() -> None:
    judged = steadiness(100 - np.arange(60) / 3, cut=NO_CUT)
    assert judged.drift == pytest.approx(-0.22, abs=0.01)
    assert judged.reasons[0] == "it drifted by -22 % over the phase"
    assert "last third" in judged.reasons[1]


def test_a_step_is_seen_by_its_thirds() -> None:
    series = np.where(np.arange(60) < 25, 1.0, 1.2) + 0.001 * np.sin(np.arange(60))
    judged = steadiness(series, cut=NO_CUT)
    assert judged.thirds == pytest.approx(0.2 / 1.2, rel=0.02)
    assert any("last third" in reason for reason in judged.reasons)


def test_a_cut_at_its_bound_is_a_reason() -> None:
    judged = steadiness(np.ones(20), cut=Cut(values=20, at_bound=True))
    assert judged.reasons == ("the warm-up took half of the phase, or more",)


@pytest.mark.parametrize("batches", range(6, 11))
@pytest.mark.parametrize("digits", [0, 1, 3])
def test_the_slope_and_its_interval_are_those_of_scipy(batches: int, digits: int) -> None:
    """Of few digits many values are equal."""
    rng = np.random.default_rng(7)
    for _ in range(100):
        values = np.round(rng.normal(2, 1, batches), digits)
        theirs = theilslopes(values, alpha=0.98)
        assert _slope(values) == (theirs.slope, theirs.low_slope, theirs.high_slope)


@pytest.mark.parametrize("series", [[], [1.0] * 5, [0.0] * 40])
def test_too_short_or_empty_is_unknown_and_not_steady(series: list[float]) -> None:
    judged = steadiness(series, cut=NO_CUT)
    assert not judged.known
    assert not judged.steady
    assert not judged.reasons


def test_without_a_known_cut_nothing_is_known() -> None:
    assert not steadiness(np.ones(30), cut=Cut(values=0, known=False)).known
