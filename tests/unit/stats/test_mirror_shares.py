"""Mirrored designs: orthogonality, shares without noise, Shapley values, levels of the test."""

from __future__ import annotations

import math
from itertools import combinations, permutations

import numpy as np
import pytest
from scipy import stats as scipy_stats
from thinned import WHOLE

from dyno.stats.mirror import LOOKS, Standing
from dyno.stats.mirror.hadamard import ORDERS, drawn, factorial, hadamard, order_for
from dyno.stats.mirror.rule import Rule
from dyno.stats.mirror.shares import MirroredBlock, pair_shares, shapley
from dyno.stats.rank import signed_rank_rows
from dyno.stats.sequential import ONE_PERCENT


@pytest.mark.parametrize("order", ORDERS)
def test_matrices_are_orthogonal(order: int) -> None:
    found = hadamard(order)
    assert np.array_equal(found @ found.T, order * np.eye(order))
    assert set(np.unique(found)) == {-1.0, 1.0}


def test_the_smallest_order_that_is_large_enough_is_taken() -> None:
    assert [order_for(p) for p in (1, 4, 5, 9, 18, 37, 41, 53, 68)] == [
        4, 4, 8, 12, 20, 40, 44, 56, 68,
    ]  # fmt: skip
    for factors in (0, 69):
        with pytest.raises(ValueError, match="1 to 68"):
            order_for(factors)
    with pytest.raises(ValueError, match="not 52"):
        hadamard(52)


@pytest.mark.parametrize("factors", [5, 9, 18])
def test_a_design_and_its_mirror_image_hold_all_values_of_any_three_factors(factors: int) -> None:
    design = drawn(factors, np.random.default_rng(1))
    both = np.concatenate([design, -design])
    for three in combinations(range(factors), 3):
        assert len(np.unique(both[:, three], axis=0)) == 8


def test_each_column_and_each_coin_are_drawn_equally_often() -> None:
    rng = np.random.default_rng(7)
    designs, seen = np.unique(
        [drawn(2, rng).ravel() for _ in range(9_600)], axis=0, return_counts=True
    )
    # 4 * 3 pairs of columns with 2 coins each.
    assert len(designs) == 48
    assert np.all(np.abs(seen - 200) < 75)


def eight_and_a_server(x: np.ndarray) -> np.ndarray:
    """Costs of rows of 0 and 1: two effects, one of two settings together, the server's."""
    costs: np.ndarray = x @ [0.1, 0, -0.05, 0, 0, 0, 0, 0, 0.03] + 0.08 * x[:, 3] * x[:, 4]
    return costs


def test_without_noise_shares_are_exact_for_any_draw() -> None:
    rng = np.random.default_rng(2)
    for _ in range(200):
        block = MirroredBlock(9, 8, rng)
        costs = eight_and_a_server((block.rows + 1) / 2)
        shares = block.shares(costs)
        assert shares is not None
        expected = [0.1, 0, -0.05, 0.04, 0.04, 0, 0, 0, 0.03]
        assert np.max(np.abs(shares - expected)) < 1e-12
        assert abs(block.difference(costs) - shares.sum()) < 1e-12
        assert block.added(costs) == pytest.approx([0.1, 0, -0.05, 0, 0, 0, 0, 0], abs=1e-12)
        removed = [0.1, 0, -0.05, 0.08, 0.08, 0, 0, 0]
        assert block.removed(costs) == pytest.approx(removed, abs=1e-12)


def test_of_three_together_each_gets_a_quarter_and_a_quarter_is_the_gap() -> None:
    rng = np.random.default_rng(3)
    shares, gaps = [], []
    for _ in range(10_000):
        block = MirroredBlock(5, 0, rng)
        costs = 0.3 * (block.rows[:, :3] > 0).all(axis=1)
        found = block.shares(costs)
        assert found is not None
        shares.append(found)
        gaps.append(block.difference(costs) - found.sum())
    assert np.mean(shares, axis=0) == pytest.approx([0.075] * 3 + [0, 0], abs=0.002)
    assert np.mean(gaps) == pytest.approx(0.075, abs=0.002)


def test_a_full_factorial_gives_each_of_three_a_third() -> None:
    costs = 0.3 * (factorial(4)[:, :3] > 0).all(axis=1)
    assert shapley(costs) == pytest.approx([0.1, 0.1, 0.1, 0.0], abs=1e-12)


def test_shapley_values_are_means_over_all_orders() -> None:
    costs = np.random.default_rng(4).standard_normal(16)
    found = shapley(costs)
    expected = np.zeros(4)
    for order in permutations(range(4)):
        row = 0
        for player in order:
            expected[player] += (costs[row | 1 << player] - costs[row]) / math.factorial(4)
            row |= 1 << player
    assert found == pytest.approx(expected, abs=1e-12)
    assert found.sum() == pytest.approx(costs[-1] - costs[0], abs=1e-12)
    with pytest.raises(ValueError, match="not 6"):
        shapley(costs[:6])


def test_void_pairs_are_left_out_until_some_share_is_open() -> None:
    rng = np.random.default_rng(5)
    design = drawn(6, rng)
    effects = rng.standard_normal(6)
    differences = design @ effects
    differences[[1, 4]] = np.nan
    assert pair_shares(design, differences) == pytest.approx(effects, abs=1e-12)
    differences[0] = np.nan
    assert pair_shares(design, differences) is None


def blocks_of(sessions: int, n: int, rng: np.random.Generator) -> list[list[MirroredBlock]]:
    return [[MirroredBlock(7, 0, rng) for _ in range(n)] for _ in range(sessions)]


def values_of(
    sessions: list[list[MirroredBlock]], noise: np.ndarray, effects: list[float]
) -> np.ndarray:
    """Shares of all blocks, shape (sessions, blocks, 7)."""
    designs = np.array([[block.design for block in blocks] for blocks in sessions])
    costs = np.concatenate([designs, -designs], axis=2) @ (np.array(effects) / 2) + noise
    differences = costs[..., :8] - costs[..., 8:]
    some = sessions[0][0].shares(np.append(costs[0, 0], [0.0, 0.0]))
    found: np.ndarray = np.einsum("sbmp,sbm->sbp", designs, differences) / 8
    assert some == pytest.approx(found[0, 0], abs=1e-12)
    return found


@pytest.mark.slow
def test_harmless_settings_are_hardly_ever_named() -> None:
    """Only the servers differ, and the noise has no mean: the worst reader of all looks."""
    sessions = 2_000 if WHOLE else 600
    rng = np.random.default_rng(20_261_126)
    noise = 0.02 * rng.standard_cauchy((sessions, LOOKS[-1], 16))
    values = values_of(blocks_of(sessions, LOOKS[-1], rng), noise, [0, 0, 0, 0, 0, 0, 0.3])
    rule = Rule(looks=LOOKS, alpha=0.05, tests=5, delta=ONE_PERCENT, near=0.015)
    named = sum(
        any(Standing.NAMED in rule.standings(session[:n, :5]) for n in LOOKS) for session in values
    )
    most = 131 if WHOLE else scipy_stats.binom.ppf(0.999, sessions, 0.05)
    assert 0 < named <= most


@pytest.mark.slow
def test_one_setting_keeps_its_level_beside_another_that_matters() -> None:
    sessions = 4_000 if WHOLE else 1_000
    rng = np.random.default_rng(6)
    noise = 0.02 * rng.standard_t(4, (sessions, 10, 16))
    noise += 0.2 * (rng.random(noise.shape) < 0.05)
    values = values_of(blocks_of(sessions, 10, rng), noise, [0, 1.0, 0, 0, 0, 0, 0])
    level = float(np.mean(signed_rank_rows(values[..., 0], p_star=0.05).p <= 0.05))
    # 4,000 sessions: within .01, three standard errors.
    assert abs(level - 0.05) <= (0.01 if WHOLE else 0.02)
