"""The sequential rule: errors of every stop rule, coverage at the stop, states, what was seen."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from noise_models import MODELS, random_pairs

from dyno.looks import LOOKS, LOOKS_PUBLIC
from dyno.stats import (
    ONE_PERCENT,
    Design,
    State,
    bounded,
    hodges_lehmann,
    judge,
    looked,
    smallest_effect,
    so_far,
    spread,
    stopping_look,
)
from dyno.stats.boundary import null_minima
from dyno.stats.rank import SignedRankRows, signed_rank_rows
from dyno.stats.sequential import decide

DESIGN = Design()
SESSIONS = 3_000
NOISE = ("normal", "period two", "bursts")
RULES: dict[str, set[State]] = {
    "the default": set(State) - {State.CONTINUE},
    "different only": {State.DIFFERENT},
    "equivalent only": {State.EQUIVALENT},
    "precise only": {State.PRECISE},
    "futile only": {State.FUTILE},
    "never before the last look": set(),
}


def equal_arms(noise: str, sessions: int = SESSIONS, *, seed: int = 31) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if noise == "normal":
        return rng.standard_normal((sessions, LOOKS[-1])) * 0.014
    return random_pairs(rng, MODELS[noise](rng, (sessions, 2 * LOOKS[-1])))


def at_looks(contrasts: np.ndarray) -> dict[int, SignedRankRows]:
    return {n: signed_rank_rows(contrasts[:, :n], p_star=DESIGN.p_star) for n in LOOKS}


def stop_look(rows: dict[int, SignedRankRows], session: int, rule: set[State]) -> int:
    for n in LOOKS:
        found = rows[n]
        seen = bounded(found.estimate[session], found.low[session], found.high[session])
        state = decide(seen, n=n, design=DESIGN)
        if state in rule:
            return n
    return LOOKS[-1]


@pytest.mark.slow
@pytest.mark.parametrize("noise", NOISE)
def test_no_stop_rule_raises_false_positives(noise: str) -> None:
    rows = at_looks(equal_arms(noise))
    outside = {n: (found.low > 0) | (found.high < 0) for n, found in rows.items()}
    # The worst reader: rejects at any look, whatever any rule said.
    assert np.mean(np.any(list(outside.values()), axis=0)) <= 0.055
    for name, rule in RULES.items():
        rejected = 0
        for session in range(SESSIONS):
            stop = stop_look(rows, session, rule)
            rejected += any(outside[n][session] for n in LOOKS if n <= stop)
        assert rejected / SESSIONS <= 0.055, name


def test_a_budget_that_ends_anywhere_keeps_the_level() -> None:
    contrasts = equal_arms("bursts", 6_000, seed=32)
    ends = np.random.default_rng(33).integers(1, LOOKS[-1] + 1, len(contrasts))
    rejected = 0
    for end in range(1, LOOKS[-1] + 1):
        sessions = contrasts[ends == end]
        outside = np.zeros(len(sessions), dtype=bool)
        for n in (*(look for look in LOOKS if look < end), end):
            found = signed_rank_rows(sessions[:, :n], p_star=DESIGN.p_star)
            outside |= (found.low > 0) | (found.high < 0)
        rejected += int(outside.sum())
    assert rejected / len(contrasts) <= 0.055


@pytest.mark.slow
def test_negative_control_peeking_after_every_block_must_fail() -> None:
    minima = null_minima(tuple(range(8, 61)), sessions=40_000, seed=1)
    assert 0.08 <= np.mean(minima <= DESIGN.p_star * (1 + 1e-9)) <= 0.10


@pytest.mark.slow
def test_noise_that_grows_during_the_session_keeps_the_level() -> None:
    # Sizes that aren't exchangeable: the one assumption beyond the coins.
    contrasts = equal_arms("normal", seed=34) * np.linspace(1, 10, LOOKS[-1])
    for session in (contrasts, contrasts[:, ::-1]):
        p = [found.p for found in at_looks(session).values()]
        assert np.mean(np.min(p, axis=0) <= DESIGN.p_star * (1 + 1e-9)) <= 0.06


@pytest.mark.slow
@pytest.mark.parametrize("noise", NOISE)
def test_interval_covers_the_truth_at_the_stop(noise: str) -> None:
    contrasts = equal_arms(noise, 2_000, seed=35)
    null_rows = at_looks(contrasts)
    for effect in (0.0, 0.005, 0.01, 0.02, 0.05, 0.20):
        truth = math.log1p(effect)
        rows = {
            n: SignedRankRows(
                estimate=found.estimate + truth,
                low=found.low + truth,
                high=found.high + truth,
                p=found.p,
            )
            for n, found in null_rows.items()
        }
        covered = 0
        for session in range(len(contrasts)):
            found = rows[stop_look(rows, session, RULES["the default"])]
            covered += found.low[session] <= truth <= found.high[session]
        assert covered / len(contrasts) >= 0.945, effect


def test_rows_of_shifted_contrasts_are_shifted_rows() -> None:
    # What the coverage test leans on.
    contrasts = equal_arms("bursts", 5)
    there, here = at_looks(contrasts + 0.05), at_looks(contrasts)
    for n in LOOKS:
        np.testing.assert_allclose(there[n].low, here[n].low + 0.05, atol=1e-12)
        np.testing.assert_allclose(there[n].estimate, here[n].estimate + 0.05, atol=1e-12)


@pytest.mark.parametrize(
    ("effect", "least_different", "most_different", "most_blocks"),
    [
        (0.0, 0.0, 0.03, 22.0),
        (0.01, 0.45, 0.65, 19.0),
        (0.02, 0.98, 1.0, 11.0),
        (0.2, 1.0, 1.0, 8.0),
    ],
)
def test_what_a_comparison_costs_at_a_block_sd_of_1_4_percent(
    effect: float, least_different: float, most_different: float, most_blocks: float
) -> None:
    rows = at_looks(equal_arms("normal", 1_500, seed=44) + math.log1p(effect))
    stops = [stop_look(rows, k, RULES["the default"]) for k in range(1_500)]
    different = np.mean(
        [
            (rows[n].low[k] > 0 or rows[n].high[k] < 0) and abs(rows[n].estimate[k]) >= DESIGN.delta
            for k, n in enumerate(stops)
        ]
    )
    assert least_different <= different <= most_different
    assert np.mean(stops) <= most_blocks


INSIDE = ONE_PERCENT / 2


@pytest.mark.parametrize(
    ("n", "estimate", "low", "high", "expected"),
    [
        (8, 0.05, 0.02, 0.08, State.DIFFERENT),
        (8, -0.05, -0.08, -0.02, State.DIFFERENT),
        (8, 0.05, 0.0, 0.08, State.CONTINUE),  # a closed interval that touches 0
        (8, ONE_PERCENT, 0.001, 0.08, State.DIFFERENT),  # delta itself counts
        (8, INSIDE, 0.001, 0.08, State.CONTINUE),  # excludes 0, below the floor
        (8, INSIDE, 0.001, 0.009, State.EQUIVALENT),  # a difference too small to matter
        (8, 0.0, -0.009, 0.009, State.EQUIVALENT),
        (8, 0.0, -ONE_PERCENT, 0.009, State.PRECISE),  # touches the floor: not inside
        (8, 0.005, -0.002, 0.012, State.PRECISE),
        (8, 0.0, -math.inf, math.inf, State.CONTINUE),
        (12, 0.0, -0.5, 0.5, State.CONTINUE),  # futility isn't asked yet
        (18, 0.0, -0.5, 0.5, State.FUTILE),
        (18, 0.0, -0.0363, 0.0363, State.CONTINUE),  # .0363 * sqrt(18/60) = 2 targets less a bit
        (18, 0.0, -0.0364, 0.0364, State.FUTILE),
        (
            18,
            0.05,
            -0.04,
            0.14,
            State.CONTINUE,
        ),  # noisy: 5 % may still prove different
        (60, 0.0, -0.5, 0.5, State.INCONCLUSIVE),
        (60, 0.05, 0.02, 0.08, State.DIFFERENT),
    ],
)
def test_states(n: int, estimate: float, low: float, high: float, expected: State) -> None:
    seen = bounded(estimate, low, high)
    assert decide(seen, n=n, design=DESIGN) is expected
    assert decide(seen.through(lambda value: -value), n=n, design=DESIGN) is expected
    final = decide(seen, n=n, design=DESIGN, final=True)
    gives_up = expected in {State.CONTINUE, State.FUTILE}
    assert final is (State.INCONCLUSIVE if gives_up else expected)


def test_judge_says_all_of_a_clear_difference() -> None:
    contrasts = np.random.default_rng(36).normal(0.20, 0.014, 8)
    look = judge(contrasts, DESIGN)
    assert (look.n, look.state, look.stops) == (8, State.DIFFERENT, True)
    # At 8 blocks the interval at level 1 - p* spans the contrasts.
    assert look.estimate.interval == (contrasts.min(), contrasts.max())
    assert look.estimate.value == hodges_lehmann(contrasts)
    assert look.p <= 0.05
    assert not look.tail_driven
    assert look.mean.value == pytest.approx(contrasts.mean())
    assert look.estimate.half_width == pytest.approx((contrasts.max() - contrasts.min()) / 2)


def test_judge_refuses_what_is_not_a_look() -> None:
    contrasts = np.random.default_rng(37).normal(0, 0.1, 61)
    for n in (0, 1, 9, 61):
        with pytest.raises(ValueError, match=f"{n} blocks aren't a look"):
            judge(contrasts[:n], DESIGN)
    assert judge(contrasts[:9], DESIGN, final=True).state is State.INCONCLUSIVE
    few = judge(contrasts[:3], DESIGN, final=True)
    assert (few.state, few.estimate.interval, few.mde) == (State.INCONCLUSIVE, None, math.inf)
    with pytest.raises(ValueError, match="61 blocks"):
        judge(contrasts, DESIGN, final=True)


def test_design_refuses_what_makes_no_sense() -> None:
    for change in ({"delta": -0.01}, {"target": math.nan}, {"looks": (12, 8)}, {"alpha": 1.5}):
        with pytest.raises(ValueError, match=r"negative|ascending|alpha"):
            replace(DESIGN, **change)
    public = Design(looks=LOOKS_PUBLIC, alpha=0.01)
    assert public.p_star == pytest.approx(0.0029, abs=0.0001)
    assert (public.last, public.next_look(10), public.next_look(50)) == (50, 15, None)


def test_looks_that_can_not_reject_end_inconclusive() -> None:
    design = Design(looks=(3, 4))
    assert judge([5.0] * 4, design).state is State.INCONCLUSIVE


def test_equal_contrasts_are_not_a_tail() -> None:
    look = judge([0.1] * 60, DESIGN)
    assert (look.state, look.tail_driven, look.estimate.half_width) == (State.DIFFERENT, False, 0.0)


def test_stalls_are_flagged_as_tail_driven() -> None:
    contrasts = np.random.default_rng(38).normal(0.0, 0.005, 40)
    contrasts[[3, 9, 14]] += 0.7
    look = judge(contrasts, DESIGN)
    assert look.tail_driven
    assert look.mean.value > look.estimate.bounds[1]


def test_so_far_is_not_a_look() -> None:
    contrasts = np.random.default_rng(39).normal(0.0, 0.1, 61)
    shown = so_far(contrasts[:9], DESIGN)
    assert (shown.n, shown.next_look) == (9, 12)
    low, high = shown.estimate.bounds
    assert -math.inf < low < shown.estimate.value < high < math.inf
    assert so_far(contrasts[:2], DESIGN).estimate.interval is None
    assert so_far(contrasts, DESIGN).next_look is None
    with pytest.raises(ValueError, match="contrasts"):
        so_far([], DESIGN)


def test_looked_replays_a_session() -> None:
    contrasts = np.random.default_rng(40).normal(0.012, 0.014, 30)
    looks = looked(contrasts, DESIGN)
    assert [look.n for look in looks] == [8, 12, 18, 27]
    assert looks[1] == judge(contrasts[:12], DESIGN)
    assert [look.p for look in looks] == sorted((look.p for look in looks), reverse=True)
    stop = stopping_look(looks)
    assert stop is not None
    assert stop is next(look for look in looks if look.stops)
    assert looked(contrasts[:7], DESIGN) == ()
    assert stopping_look(()) is None


def test_spread_is_the_standard_deviation_of_normal_contrasts() -> None:
    rng = np.random.default_rng(41)
    for n, tolerance in ((12, 0.08), (60, 0.05)):
        found = np.mean([spread(rng.normal(0, 0.014, n)) for _ in range(300)])
        assert found == pytest.approx(0.014, rel=tolerance)
    assert spread([0.1, 0.2]) == math.inf


def smallest_effects(rows: SignedRankRows, n: int) -> np.ndarray:
    return np.array(
        [
            smallest_effect(n=n, half_width=half_width, p_star=DESIGN.p_star, delta=DESIGN.delta)
            for half_width in (rows.high - rows.low) / 2
        ]
    )


def test_smallest_effect_follows_the_planning_rule_at_the_last_look() -> None:
    contrasts = np.random.default_rng(42).normal(0, 1, (200, 60))
    rows = signed_rank_rows(contrasts, p_star=DESIGN.p_star)
    found = smallest_effects(rows, 60).mean()
    assert found == pytest.approx(1.15 * 2.8 / math.sqrt(60), rel=0.10)


@pytest.mark.parametrize(("noise", "least", "most"), [("normal", 0.70, 0.83), ("bursts", 0.6, 0.8)])
def test_smallest_effect_is_seen_in_about_four_of_five(
    noise: str, least: float, most: float
) -> None:
    contrasts = equal_arms(noise, 1_500, seed=43)
    for n, rows in at_looks(contrasts).items():
        seen = [
            np.mean((rows.low + mde > 0) & (np.abs(rows.estimate + mde) >= DESIGN.delta))
            for mde in smallest_effects(rows, n)[:300]
        ]
        assert least <= np.mean(seen) <= most, n
