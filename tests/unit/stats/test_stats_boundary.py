"""Looks and their p*: the shipped table against simulation and against the published values."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dyno.looks import LOOKS, LOOKS_PUBLIC, schedule
from dyno.stats import calibrate, p_star, sequential_p
from dyno.stats.boundary import SEED, SESSIONS, null_minima
from dyno.stats.rank import attained_level, signed_rank_rows

# The design sheet's values, from 120,000 sessions of another program.
SHEET = [
    (LOOKS, 0.05, 0.0140),
    (LOOKS, 0.01, 0.0028),
    (LOOKS, 0.005, 0.0013),
    (LOOKS_PUBLIC, 0.05, 0.0153),
    (LOOKS_PUBLIC, 0.01, 0.0029),
    (LOOKS_PUBLIC, 0.005, 0.0017),
]
OTHER_SEED = 777


def test_schedules() -> None:
    assert schedule(first=8, last=60) == LOOKS
    assert schedule(first=10, last=50) == LOOKS_PUBLIC
    assert schedule(first=8, last=8) == (8,)
    assert schedule(first=8, last=20) == (8, 12, 18, 20)
    assert schedule(first=12, last=60) == LOOKS[1:]
    assert schedule(first=1, last=6) == (1, 2, 3, 5, 6)
    for first, last in ((0, 8), (9, 8)):
        with pytest.raises(ValueError, match="first <= last"):
            schedule(first=first, last=last)


@pytest.mark.slow
@pytest.mark.parametrize(("looks", "alpha", "published"), SHEET)
def test_shipped_table_agrees_with_a_fresh_simulation(
    looks: tuple[int, ...], alpha: float, published: float
) -> None:
    minima = null_minima(looks, sessions=SESSIONS, seed=OTHER_SEED)
    standard_error = math.sqrt(alpha * (1 - alpha) / len(minima))
    attained = np.mean(minima <= p_star(looks, alpha) * (1 + 1e-9))
    assert 0.97 * alpha - 4 * standard_error <= attained <= alpha + 4 * standard_error
    again = calibrate(looks, alpha, sessions=SESSIONS, seed=OTHER_SEED)
    assert again == pytest.approx(p_star(looks, alpha), rel=0.08)
    # The published figure has four decimals and an error of its own, from 120,000 sessions.
    rounding = alpha / published * 0.00005
    published_error = math.sqrt(alpha / 120_000 + standard_error**2)
    assert abs(np.mean(minima <= published) - alpha) <= 4 * published_error + rounding


@pytest.mark.slow
def test_simulated_null_agrees_with_contrasts_drawn_and_ranked() -> None:
    # An independent road to the same law: draw normal contrasts and rank them at every look.
    contrasts = np.random.default_rng(5).standard_normal((4_000, LOOKS[-1]))
    p = [signed_rank_rows(contrasts[:, :n], p_star=0.01).p for n in LOOKS]
    drawn = np.min(p, axis=0)
    simulated = null_minima(LOOKS, sessions=SESSIONS, seed=SEED)
    for level in (0.003, 0.0140, 0.05, 0.1, 0.3):
        expected = np.mean(simulated <= level)
        error = math.sqrt(expected * (1 - expected) / len(drawn))
        assert abs(np.mean(drawn <= level) - expected) <= 3.5 * error


def test_one_look_is_exact() -> None:
    assert p_star((8,), 0.05) == attained_level(8, 0.05) == 0.0390625
    assert p_star((12,), 0.05) == attained_level(12, 0.05)


@pytest.mark.slow
def test_fewer_looks_cost_less() -> None:
    stars = [p_star(schedule(first=8, last=last), 0.05) for last in (8, 12, 18, 27, 40, 60)]
    assert stars == sorted(stars, reverse=True)
    assert all(star >= p_star(LOOKS, 0.05) for star in stars)
    assert p_star((12, 18, 27, 40, 60), 0.05) > p_star(LOOKS, 0.05)


def test_looks_too_short_for_alpha_never_reject() -> None:
    assert p_star((3, 4, 5), 0.05) == 0.0
    assert p_star((4,), 0.05) == 0.0


def test_same_seed_same_boundary() -> None:
    first = calibrate((8, 13), 0.05, sessions=20_000, seed=3)
    null_minima.cache_clear()
    assert calibrate((8, 13), 0.05, sessions=20_000, seed=3) == first
    assert SEED == 20_260_101


@pytest.mark.parametrize("looks", [(), (0, 5), (8, 8), (12, 8)])
def test_bad_looks_are_refused(looks: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="positive and ascending"):
        p_star(looks, 0.05)


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1])
def test_bad_alpha_is_refused(alpha: float) -> None:
    with pytest.raises(ValueError, match="alpha"):
        p_star(LOOKS, alpha)
    with pytest.raises(ValueError, match="alpha"):
        calibrate(LOOKS, alpha, sessions=100, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize(("looks", "alpha"), [(looks, alpha) for looks, alpha, _ in SHEET])
def test_sequential_p_is_at_most_alpha_exactly_where_the_boundary_was_crossed(
    looks: tuple[int, ...], alpha: float
) -> None:
    rng = np.random.default_rng(8)
    crossed_seen = 0
    for shift in (0.2, 0.4, 0.6, 0.9):
        contrasts = rng.standard_normal(looks[-1]) + shift
        p = [float(signed_rank_rows(contrasts[np.newaxis, :n], p_star=0.05).p[0]) for n in looks]
        crossed = min(p) <= p_star(looks, alpha)
        crossed_seen += crossed
        if crossed:
            assert sequential_p(contrasts, looks) <= alpha
        else:
            # A p just above the boundary may differ by the simulation's error.
            assert sequential_p(contrasts, looks) > 0.95 * alpha
    assert crossed_seen


def test_sequential_p_uses_completed_looks_only() -> None:
    contrasts = np.random.default_rng(9).standard_normal(17) + 0.8
    assert sequential_p(contrasts[:7], LOOKS) == 1.0
    assert sequential_p(contrasts, LOOKS) == sequential_p(contrasts[:12], LOOKS)
    assert sequential_p(contrasts, LOOKS, final=True) <= sequential_p(contrasts, LOOKS)
    assert sequential_p(contrasts[:8], (8,)) >= 2.0**-7


def test_sequential_p_is_not_anti_conservative() -> None:
    # By construction; here through the front door, on bursts of one sign pattern after another.
    minima = null_minima(LOOKS, sessions=20_000, seed=OTHER_SEED)
    null = null_minima(LOOKS, sessions=SESSIONS, seed=SEED)
    p = (1 + np.searchsorted(null, minima * (1 + 1e-9), side="right")) / (1 + len(null))
    for alpha in (0.005, 0.01, 0.05, 0.2):
        assert np.mean(p <= alpha) <= alpha + 4 * math.sqrt(alpha / len(p))
