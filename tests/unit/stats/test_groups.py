"""Whether groups have one mean."""

from __future__ import annotations

import numpy as np
import pytest

from dyno.stats.groups import same_mean_p

RNG = np.random.default_rng(7)


@pytest.mark.slow
def test_equal_groups_are_called_apart_as_often_as_the_level_says() -> None:
    found = [same_mean_p([RNG.normal(0, 1, 8), RNG.normal(0, 3, 12)]) or 0.0 for _ in range(2000)]
    assert np.mean(np.array(found) < 0.05) == pytest.approx(0.05, abs=0.015)


def test_groups_that_are_apart_are_seen_in_spite_of_their_scatter() -> None:
    p = same_mean_p([RNG.normal(0.0, 0.01, 10), RNG.normal(0.1, 0.05, 10)])
    assert p is not None
    assert p < 0.01


def test_too_few_values_or_none_that_scatter_say_nothing() -> None:
    assert same_mean_p([[1, 2, 3], [1, 2]]) is None
    assert same_mean_p([[1, 2, 3]]) is None
    assert same_mean_p([[1, 2, 3], [2, 2, 2]]) is None
