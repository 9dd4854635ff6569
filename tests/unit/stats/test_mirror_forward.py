"""The fit that chooses what is worth confirming."""

from __future__ import annotations

import numpy as np
import pytest

from dyno.stats.mirror.forward import MOST_CHOSEN, first_replicates, forward, needed_replicates
from dyno.stats.mirror.hadamard import drawn


def test_without_noise_it_takes_what_is_there_largest_first_and_nothing_else() -> None:
    design = drawn(18, np.random.default_rng(1))
    effects = np.zeros(18)
    effects[[2, 5, 11]] = 0.03, -0.2, 0.1
    fit = forward(design, design @ effects)
    assert fit.chosen == (5, 11, 2)
    assert fit.values == pytest.approx([-0.2, 0.1, 0.03], abs=1e-12)
    assert fit.resolution == pytest.approx(0.0, abs=1e-12)


def test_bursts_neither_hide_an_effect_nor_look_like_one() -> None:
    rng = np.random.default_rng(2)
    found, others = 0, 0
    for _ in range(100):
        design = np.concatenate([drawn(18, rng), drawn(18, rng)])
        differences = 0.05 * design[:, 3] + rng.normal(0, 0.015, 40)
        differences[rng.integers(40, size=3)] += 0.5
        fit = forward(design, differences)
        found += fit.chosen[:1] == (3,)
        others += len(fit.chosen) - 1
    assert found == 100
    # 17 more chances at 2.5 standard errors each.
    assert others <= 50


def test_at_most_seven_are_taken() -> None:
    design = drawn(18, np.random.default_rng(3))
    fit = forward(design, design @ 0.4 ** np.arange(18))
    assert fit.chosen == tuple(range(7))
    assert MOST_CHOSEN == 7


def test_replicates_follow_from_what_is_worth_finding() -> None:
    assert [first_replicates(order) for order in (8, 12, 20, 44)] == [3, 2, 1, 1]
    assert needed_replicates(2, 0.01, 0.01) == 2
    assert needed_replicates(1, 0.015, 0.01) == 3
    assert needed_replicates(2, 0.1, 0.01) == 8
