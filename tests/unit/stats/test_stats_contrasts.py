"""Contrasts from arm values by block, and Holm's adjustment."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dyno.stats import block_contrasts, holm, log_ratio, signed_rank

FEW = settings(max_examples=80, deadline=None, derandomize=True, database=None)
VALUES = st.dictionaries(st.integers(0, 40), st.floats(1e-6, 1e9), min_size=1, max_size=20)


def test_contrasts_by_hand() -> None:
    found = block_contrasts({3: 2.0, 0: 1.0, 7: 5.0}, {0: 1.0, 3: 4.0, 5: 9.0})
    assert found.blocks == (0, 3)
    assert found.left_out == (5, 7)
    np.testing.assert_allclose(found.values, [0.0, -math.log(2)])
    assert block_contrasts({1: 2.0}, {2: 2.0}).values.shape == (0,)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_a_value_without_a_ratio_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="positive"):
        log_ratio(1.0, bad)
    with pytest.raises(ValueError, match="block 4: "):
        block_contrasts({4: bad}, {4: 1.0})


@FEW
@given(VALUES, VALUES)
def test_swapping_the_arms_negates_contrasts_exactly(
    a: dict[int, float], b: dict[int, float]
) -> None:
    there, back = block_contrasts(a, b), block_contrasts(b, a)
    assert np.array_equal(there.values, -back.values)
    assert (there.blocks, there.left_out) == (back.blocks, back.left_out)


@FEW
@given(VALUES, st.sampled_from([1e-3, 60.0, 1e9]))
def test_the_unit_of_the_values_is_irrelevant(a: dict[int, float], factor: float) -> None:
    rng = np.random.default_rng(1)
    b = {block: value * math.exp(rng.normal(0.1, 0.05)) for block, value in a.items()}
    seconds = block_contrasts(a, b).values
    other = block_contrasts(
        {k: v * factor for k, v in a.items()}, {k: v * factor for k, v in b.items()}
    ).values
    here, there = signed_rank(seconds, p_star=0.05), signed_rank(other, p_star=0.05)
    assert there.estimate.value == pytest.approx(here.estimate.value, abs=1e-12)
    assert there.p == here.p


@FEW
@given(VALUES)
def test_the_order_in_which_blocks_arrive_is_irrelevant(a: dict[int, float]) -> None:
    b = {block: 2 * value for block, value in a.items()}
    backwards = dict(reversed(a.items()))
    assert np.array_equal(block_contrasts(a, b).values, block_contrasts(backwards, b).values)


def test_holm_by_hand() -> None:
    # Sorted .01 .02 .03 .04 times 4 3 2 1, then running maxima.
    assert holm([0.03, 0.01, 0.04, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([]) == []
    for bad in (-0.1, 1.1, math.nan):
        with pytest.raises(ValueError, match="between 0 and 1"):
            holm([0.5, bad])


@FEW
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.floats(0.001, 0.2))
def test_holm_rejects_what_the_step_down_rule_rejects(p: list[float], alpha: float) -> None:
    m = len(p)
    rejected = [False] * m
    for step, k in enumerate(sorted(range(m), key=lambda k: p[k])):
        if p[k] * (m - step) > alpha:
            break
        rejected[k] = True
    assert [x <= alpha for x in holm(p)] == rejected
