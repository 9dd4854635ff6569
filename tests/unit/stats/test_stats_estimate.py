"""An estimate on another scale, and one that nothing bounds yet."""

from __future__ import annotations

import math

import pytest

from dyno.stats import Estimate, bounded


def test_another_scale_takes_the_interval_along() -> None:
    ratio = Estimate(0.0, (-1.0, 2.0)).through(math.exp)
    assert ratio == Estimate(1.0, (math.exp(-1), math.exp(2)))
    assert ratio.half_width == pytest.approx((math.exp(2) - math.exp(-1)) / 2)


def test_a_falling_scale_turns_the_ends_round() -> None:
    share = Estimate(math.log(0.8), (math.log(0.7), math.log(0.9))).through(
        lambda x: -math.expm1(x)
    )
    assert share.value == pytest.approx(0.2)
    assert share.interval == pytest.approx((0.1, 0.3))


@pytest.mark.parametrize(
    ("low", "high"), [(None, None), (None, 2.0), (1.0, None), (-math.inf, math.inf), (1, math.inf)]
)
def test_an_open_end_is_no_interval(low: float | None, high: float | None) -> None:
    found = bounded(1.5, low, high)
    assert found == Estimate(1.5)
    assert found.bounds == (-math.inf, math.inf)
    assert found.half_width == math.inf
    assert found.through(math.exp).interval is None
