"""What a control arm costs and gains, simulated: three arms, each with noise of its own."""

from __future__ import annotations

import math

import numpy as np
import pytest
from thinned import in_test_all

from dyno.stats import Design, State, hodges_lehmann, looked

DESIGN = Design()
SESSIONS = 400
# A contrast has the noise of two arms: 1.4 %.
SPREAD = 0.014 / math.sqrt(2)


def different(effect: float, *, with_control: bool, slow_baseline: float = 0.0) -> float:
    """The share of sessions that call B different from A at any of their looks. `slow_baseline`:
    what of A comes from its place and not from its server, as a log ratio.
    """
    rng = np.random.default_rng(1)
    found = 0
    for _ in range(SESSIONS):
        a, b, control = rng.normal(0, SPREAD, (3, DESIGN.last))
        contrasts, of_control = b - a + effect + slow_baseline, control - a + slow_baseline

        def bias_at(n: int, seen: np.ndarray = of_control) -> float:
            return abs(hodges_lehmann(seen[:n])) if with_control else 0.0

        looks = looked(contrasts, DESIGN, bias_at)
        found += any(look.state is State.DIFFERENT for look in looks)
    return found / SESSIONS


@in_test_all
def test_it_costs_no_power_where_equal_servers_are_equal() -> None:
    assert different(math.log1p(0.02), with_control=True) >= 0.97
    assert different(math.log1p(0.05), with_control=True) == 1.0
    assert different(0.0, with_control=True) <= different(0.0, with_control=False) <= 0.02


@pytest.mark.slow
def test_a_baseline_in_a_slow_place_makes_no_difference_any_more() -> None:
    """Without a control equal servers differ in each session."""
    assert different(0.0, with_control=False, slow_baseline=0.03) == 1.0
    assert different(0.0, with_control=True, slow_baseline=0.03) <= 0.05
