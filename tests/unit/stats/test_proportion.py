"""Shares and means of counted draws: worked figures."""

from __future__ import annotations

import math

import pytest
from scipy.stats import binomtest

from dyno.stats import mean_of_known_spread, wilson


def test_wilson_by_hand() -> None:
    # Agresti and Coull's worked figures: 10 of 100 at 95 %.
    assert wilson(10, 100, confidence=0.95) == pytest.approx((0.0552, 0.1744), abs=1e-4)
    assert wilson(0, 0) == (0.0, 1.0)
    low, high = wilson(20, 20)
    assert (low, high) == (pytest.approx(20 / (20 + 6.6349), abs=1e-4), 1.0)
    with pytest.raises(ValueError, match="3 of 2"):
        wilson(3, 2)


@pytest.mark.parametrize(
    ("seen", "n", "confidence", "digits"),
    [
        (0, 1, 0.99, ("0.000000000000", "0.869022456720")),
        (1, 3, 0.95, ("0.061491944720", "0.792340399198")),
        (7, 1000, 0.99, ("0.002741177155", "0.017757711440")),
        (999, 1000, 0.9999, ("0.983177377614", "0.999941442602")),
        (123_456, 10_000_000, 0.99, ("0.012255978280", "0.012435868827")),
    ],
)
def test_wilson_agrees_with_scipy(
    seen: int, n: int, confidence: float, digits: tuple[str, str]
) -> None:
    low, high = wilson(seen, n, confidence=confidence)
    assert (f"{low:.12f}", f"{high:.12f}") == digits
    theirs = binomtest(seen, n).proportion_ci(confidence, method="wilson")
    assert (low, high) == pytest.approx((theirs.low, theirs.high), abs=1e-15)


def test_a_mean_by_hand() -> None:
    # 2.5758 x 2 / sqrt(400)
    low, high = mean_of_known_spread(4000, 400, 2.0)
    assert (low, high) == pytest.approx((10 - 0.25758, 10 + 0.25758), abs=1e-5)
    narrow = mean_of_known_spread(4000, 400, 2.0, confidence=0.95)
    assert narrow == pytest.approx((10 - 0.195996, 10 + 0.195996), abs=1e-5)
    assert math.isclose(sum(narrow), 20)
    with pytest.raises(ValueError, match="0 draws"):
        mean_of_known_spread(0, 0, 1.0)
