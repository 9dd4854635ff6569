"""Bands, the four verdicts with every edge, and the blocks that a verdict would need."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dyno.stats import Between, Estimate, Expectation, Kind, Verdict, needed_blocks, verdict

FEW = settings(max_examples=150, deadline=None, derandomize=True, database=None)
DELTA = math.log1p(0.01)
INF = math.inf

R, D, N, I = (  # noqa: E741
    Verdict.REPRODUCED,
    Verdict.DIRECTION_ONLY,
    Verdict.NOT_REPRODUCED,
    Verdict.INCONCLUSIVE,
)


def expected(kind: str, ratio: float = 1.0, band: float | None = None) -> Expectation:
    return Expectation(kind=Kind(kind), ratio=ratio, band=band)


@pytest.mark.parametrize(
    ("expectation", "low", "high"),
    [
        (expected("approximately", 1.5), 1.4, 1.6),
        (expected("exactly", 1.5), 1.45, 1.55),
        (expected("approximately", 0.5), 1 / 2.2, 1 / 1.8),
        (expected("approximately", 0.05), 1 / 23.8, 1 / 16.2),
        (expected("approximately", 1.5, 0.5), 1.25, 1.75),
        (expected("approximately", 1.0), 1 / 1.01, 1.01),  # floored by delta
        (expected("exactly", 1.02), 1.02 / 1.01, 1.02 * 1.01),  # floored by delta
        (expected("at least", 15.0), 15 / 1.01, INF),
        (expected("at least", 15.0, 0.1), 13.6, INF),
        (expected("at least", 1.0), 1 / 1.01, INF),
        (expected("at least", 0.9), 0.9 / 1.01, INF),
        (expected("at least", 0.8, 0.2), 1 / 1.3, INF),
        (expected("at most", 0.5), 0.0, 0.505),
        (expected("at most", 1.1), 0.0, 1.1 * 1.01),
        (expected("near parity"), 1 / 1.1, 1.1),
        (expected("near parity", band=0.001), 1 / 1.01, 1.01),  # floored by delta
    ],
)
def test_regions(expectation: Expectation, low: float, high: float) -> None:
    region = expectation.region(delta=DELTA)
    assert math.exp(region.low) == pytest.approx(low, rel=1e-12)
    if math.isinf(high):
        assert region.high == INF
    else:
        assert math.exp(region.high) == pytest.approx(high, rel=1e-12)


def test_sides() -> None:
    sides = {
        1: [expected("approximately", 1.5), expected("at least", 1.1)],
        -1: [expected("approximately", 0.5), expected("at most", 0.9)],
        0: [
            expected("near parity"),
            expected("at least", 0.9),
            expected("at most", 1.1),
            expected("at least", 1.0),
            expected("exactly", 1.005),
        ],
    }
    for side, expectations in sides.items():
        for expectation in expectations:
            assert expectation.region(delta=DELTA).side == side


ABOUT_HALF_MORE = expected("approximately", 1.5)
ABOUT_HALF = expected("approximately", 0.5)


@pytest.mark.parametrize(
    ("expectation", "low", "estimate", "high", "found"),
    [
        # Approximately 1.5: the region is 1.4 to 1.6.
        (ABOUT_HALF_MORE, 1.42, 1.5, 1.58, R),
        (ABOUT_HALF_MORE, 1.38, 1.5, 1.58, I),  # straddles the lower edge
        (ABOUT_HALF_MORE, 1.42, 1.5, 1.62, I),  # straddles the upper edge
        (ABOUT_HALF_MORE, 1.2, 1.5, 1.9, I),  # wider than the region
        (ABOUT_HALF_MORE, 1.1, 1.2, 1.3, D),  # weaker than claimed
        (ABOUT_HALF_MORE, 1.8, 2.0, 2.2, D),  # stronger than claimed
        (ABOUT_HALF_MORE, 1.002, 1.005, 1.2, I),  # claimed side, estimate below the floor
        (ABOUT_HALF_MORE, 0.99, 1.2, 1.3, I),  # neither in the band nor clear of 0
        (ABOUT_HALF_MORE, 0.995, 1.0, 1.005, N),  # no difference
        (ABOUT_HALF_MORE, 1.002, 1.005, 1.009, N),  # a difference below the floor
        (ABOUT_HALF_MORE, 0.7, 0.8, 0.9, N),  # the other side
        (ABOUT_HALF_MORE, 0.98, 0.995, 0.999, N),  # the other side, below the floor
        (ABOUT_HALF_MORE, 0.0, 1.5, INF, I),  # too few blocks
        # Approximately half the time: 1/2.2 to 1/1.8.
        (ABOUT_HALF, 0.46, 0.5, 0.55, R),
        (ABOUT_HALF, 0.40, 0.5, 0.55, I),
        (ABOUT_HALF, 0.7, 0.75, 0.8, D),
        (ABOUT_HALF, 0.1, 0.2, 0.3, D),
        (ABOUT_HALF, 1.1, 1.2, 1.3, N),
        (ABOUT_HALF, 0.995, 1.0, 1.005, N),
        # One-sided.
        (expected("at least", 15.0), 16, 20, 30, R),
        (expected("at least", 15.0), 14.9, 20, 30, R),  # within delta of the edge
        (expected("at least", 15.0), 12, 20, 30, I),
        (expected("at least", 15.0), 4, 5, 6, D),
        (expected("at least", 15.0), 0.4, 0.5, 0.6, N),
        (expected("at least", 1.0), 0.995, 1.0, 1.005, R),  # "at least as fast": equal will do
        (expected("at least", 1.0), 0.90, 0.95, 0.98, N),
        (expected("at least", 1.0), 0.98, 1.0, 1.02, I),
        (expected("at most", 0.1), 0.02, 0.05, 0.09, R),
        (expected("at most", 0.1), 0.2, 0.25, 0.3, D),
        (expected("at most", 0.1), 1.2, 1.25, 1.3, N),
        (expected("at most", 1.1), 1.2, 1.25, 1.3, N),  # no side is claimed
        (expected("at most", 1.1), 0.5, 0.6, 0.7, R),
        # Near parity: 1/1.1 to 1.1.
        (expected("near parity"), 0.95, 1.0, 1.05, R),
        (expected("near parity"), 1.03, 1.05, 1.08, R),  # a difference, within the band
        (expected("near parity"), 1.05, 1.08, 1.12, I),
        (expected("near parity"), 1.12, 1.2, 1.3, N),
        (expected("near parity"), 0.7, 0.8, 0.9, N),
        (expected("near parity"), 0.0, 1.0, INF, I),
        # A claim of less than two deltas: 1.012 / 1.01 to 1.012 * 1.01.
        (expected("exactly", 1.012), 1.004, 1.01, 1.02, R),
        (expected("exactly", 1.012), 0.997, 1.004, 1.008, I),  # overlaps: not refuted
        (expected("exactly", 1.012), 0.992, 0.997, 1.001, N),
    ],
)
def test_verdicts(
    expectation: Expectation, low: float, estimate: float, high: float, found: Verdict
) -> None:
    ends = (math.log(low) if low > 0 else -INF, math.log(high))
    assert verdict(expectation, Estimate(math.log(estimate), ends), delta=DELTA) is found


def test_edges_of_the_region_belong_to_it() -> None:
    region = ABOUT_HALF_MORE.region(delta=DELTA)
    inside = Estimate(0.4, (region.low, region.high))
    assert verdict(ABOUT_HALF_MORE, inside, delta=DELTA) is R
    touching = Estimate(0.3, (0.2, region.low))
    assert verdict(ABOUT_HALF_MORE, touching, delta=DELTA) is I


def test_without_an_interval_nothing_is_decided() -> None:
    assert verdict(ABOUT_HALF_MORE, Estimate(0.4), delta=DELTA) is I


def test_words_of_the_verdicts() -> None:
    assert [str(v) for v in Verdict] == [
        "reproduced", "direction only", "not reproduced", "inconclusive",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "bad",
    [
        {"kind": Kind.EXACTLY, "ratio": 0.0},
        {"kind": Kind.EXACTLY, "ratio": math.nan},
        {"kind": Kind.EXACTLY, "ratio": 2.0, "band": 1.0},
        {"kind": Kind.EXACTLY, "ratio": 2.0, "band": -0.1},
        {"kind": Kind.NEAR_PARITY, "ratio": 2.0},
    ],
)
def test_impossible_expectations_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"ratio|band"):
        Expectation(**bad)  # type: ignore[arg-type]


@pytest.mark.parametrize("estimate", [0.5, math.nan])
def test_impossible_intervals_are_refused(estimate: float) -> None:
    with pytest.raises(ValueError, match="outside"):
        verdict(ABOUT_HALF, Estimate(estimate, (0.0, 0.1)), delta=DELTA)
    with pytest.raises(ValueError, match="delta"):
        verdict(ABOUT_HALF, Estimate(0.05, (0.0, 0.1)), delta=-1.0)


MIRRORED = {Kind.AT_LEAST: Kind.AT_MOST, Kind.AT_MOST: Kind.AT_LEAST}
EXPECTATIONS = st.builds(
    lambda kind, log_ratio, band: Expectation(
        kind=kind, ratio=1.0 if kind is Kind.NEAR_PARITY else math.exp(log_ratio), band=band
    ),
    st.sampled_from(Kind),
    st.floats(-4, 4),
    st.none() | st.floats(0, 0.9),
)
INTERVALS = st.tuples(*[st.floats(-3, 3, allow_subnormal=False)] * 3).map(sorted)


@FEW
@given(EXPECTATIONS, INTERVALS)
def test_naming_the_arms_the_other_way_round_changes_no_verdict(
    expectation: Expectation, interval: list[float]
) -> None:
    low, estimate, high = interval
    mirrored = Expectation(
        kind=MIRRORED.get(expectation.kind, expectation.kind),
        ratio=1 / expectation.ratio,
        band=expectation.band,
    )
    region, back = expectation.region(delta=DELTA), mirrored.region(delta=DELTA)
    assert (-back.high, -back.low) == pytest.approx((region.low, region.high), abs=1e-9)
    # 1 / ratio is rounded: leave out intervals that end within that of an edge.
    ends = (region.low, region.high)
    assume(all(abs(bound - end) > 1e-9 for bound in (low, high) for end in ends))
    there, back_again = Estimate(estimate, (low, high)), Estimate(-estimate, (-high, -low))
    assert verdict(expectation, there, delta=DELTA) is verdict(mirrored, back_again, delta=DELTA)


@FEW
@given(EXPECTATIONS, INTERVALS, st.integers(8, 60))
def test_needed_blocks_is_the_first_number_with_a_verdict(
    expectation: Expectation, interval: list[float], n: int
) -> None:
    low, estimate, high = interval

    def after(blocks: int) -> Verdict:
        shrink = math.sqrt(n / blocks)
        ends = estimate - (estimate - low) * shrink, estimate + (high - estimate) * shrink
        return verdict(expectation, Estimate(estimate, ends), delta=DELTA)

    needed = needed_blocks(expectation, Estimate(estimate, (low, high)), delta=DELTA, n=n)
    if needed is None:
        assert after(10_000) is I
    elif needed == n:
        assert after(n) is not I
    else:
        assert after(needed) is not I
        assert after(needed - 1) is I


def test_needed_blocks_by_hand() -> None:
    # Half-width .4 around an estimate .1 above the region's edge: 16 times the blocks.
    edge = expected("at least", 2.0).region(delta=DELTA).low
    wide = Estimate(edge + 0.1, (edge - 0.3, edge + 0.5))
    assert needed_blocks(expected("at least", 2.0), wide, delta=DELTA, n=10) in {160, 161}
    on_edge = Estimate(edge, (edge - 0.3, edge + 0.3))
    assert needed_blocks(expected("at least", 2.0), on_edge, delta=DELTA, n=10) is None
    assert needed_blocks(ABOUT_HALF, Estimate(0.0), delta=DELTA, n=4) is None
    with pytest.raises(ValueError, match="at least one block"):
        needed_blocks(ABOUT_HALF, wide, delta=DELTA, n=0)


@pytest.mark.parametrize(
    ("low", "high", "found"),
    [
        (12.0, 90.0, R),
        (8.0, 12.0, I),
        (4.0, 6.0, Verdict.DIRECTION_ONLY),
        (120.0, 150.0, Verdict.DIRECTION_ONLY),
        (0.2, 0.5, Verdict.NOT_REPRODUCED),
        (0.999, 1.001, Verdict.NOT_REPRODUCED),
    ],
)
def test_a_range_of_ratios(low: float, high: float, found: Verdict) -> None:
    ends = math.log(low), math.log(high)
    ten_to_hundred = Between(low=10, high=100)
    assert verdict(ten_to_hundred, Estimate(sum(ends) / 2, ends), delta=DELTA) is found


@pytest.mark.parametrize(("low", "high"), [(0, 1), (2, 1), (1, 1), (-1, 1), (1, INF)])
def test_a_wrong_range_is_refused(low: float, high: float) -> None:
    with pytest.raises(ValueError, match="0 < low < high"):
        Between(low=low, high=high)
