"""The parts of a spread: planted variances are found, and the proposal is what they ask for."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dyno.stats import Components, Narrowed, components, propose, relative_error
from dyno.stats.components import LENGTH_STEP_MOST

BLOCKS = 60
SECONDS = 40


def planted(between: float, within_1s: float, *, seed: int) -> tuple[list[float], list[float]]:
    """Contrasts and relative errors of trials of 40 s whose seconds vary by `within_1s`."""
    rng = np.random.default_rng(seed)
    contrasts, errors = [], []
    for _ in range(BLOCKS):
        arms = []
        for level in (0.0, rng.normal(0, between)):
            seconds = 1000 * math.exp(level) * (1 + rng.normal(0, within_1s, SECONDS))
            arms.append(float(np.log(seconds.mean())))
            error = relative_error(seconds)
            assert error is not None
            errors.append(error)
        contrasts.append(arms[1] - arms[0])
    return contrasts, errors


@pytest.mark.parametrize(
    ("between", "within_1s"), [(0.03, 0.02), (0.01, 0.10), (0.02, 0.08), (0.0, 0.1)]
)
def test_planted_parts_are_found(between: float, within_1s: float) -> None:
    found = [components(*planted(between, within_1s, seed=seed)) for seed in range(20)]
    within = math.sqrt(2 / SECONDS) * within_1s
    parts = [f for f in found if f and f.within is not None and f.between is not None]
    assert len(parts) == 20
    assert np.mean([f.within for f in parts]) == pytest.approx(within, rel=0.12)
    assert np.mean([f.block for f in parts]) == pytest.approx(math.hypot(between, within), rel=0.12)
    # A difference of squares: of a small part only its size is known.
    assert np.mean([f.between for f in parts]) == pytest.approx(between, abs=0.007)


def test_dependent_seconds_do_not_look_certain() -> None:
    """Seconds that depend on each other say less than as many independent ones."""
    rng = np.random.default_rng(1)
    noise = rng.normal(0, 1, 4000)
    slow = np.convolve(noise, np.ones(20) / math.sqrt(20), mode="valid")
    fast = rng.normal(0, 1, len(slow))
    found = [relative_error(100 + series) for series in (slow, fast)]
    assert found[0] is not None
    assert found[1] is not None
    assert found[0] > 2 * found[1]


def test_too_little_is_unknown() -> None:
    assert relative_error([1.0] * 5) is None
    assert relative_error([0.0] * 20) is None
    assert components([0.1, 0.2], [0.01] * 4) is None
    found = components([0.1, 0.2, 0.15, 0.1], [None] * 5 + [0.01] * 3)
    assert found is not None
    assert found.block > 0
    assert found.within is None
    assert found.between is None


def proposal(block: float, within: float | None, **more: float | None) -> object:
    between = None if within is None else math.sqrt(block**2 - within**2)
    given = {"half_width": 0.05, "target": 0.01, "p_star": 0.0139, "last": 60, "length_s": 10.0}
    return propose(
        Components(block=block, within=within, between=between),
        **(given | {"overhead_s": 5.0} | more),
    )


def test_what_differs_from_block_to_block_wants_blocks() -> None:
    found = proposal(0.02, 0.002, overhead_s=0.1)
    assert found.by in (Narrowed.BLOCKS, Narrowed.SHORTER)
    assert found.blocks == pytest.approx((2.46 * 0.02 / 0.01) ** 2, abs=2)


def test_what_varies_inside_trials_wants_longer_ones_where_starting_is_dear() -> None:
    found = proposal(0.02, 0.0198, overhead_s=60.0)
    assert found.by is Narrowed.LONGER
    assert 10 < found.length_s <= 10 * LENGTH_STEP_MOST
    assert found.share < 0.8
    # Hardly any cost of a start: as many seconds in more trials are worth the same.
    assert proposal(0.02, 0.0198, overhead_s=0.5).by is not Narrowed.LONGER


def test_long_trials_that_tell_nothing_new_become_shorter() -> None:
    found = proposal(0.02, 0.002, length_s=100.0, overhead_s=5.0)
    assert found.by is Narrowed.SHORTER
    assert found.length_s < 100
    assert found.share < 0.5
    # A trial has a second at least.
    assert proposal(0.02, 0.0001, length_s=2.0, overhead_s=0.01).length_s == 1.0


def test_the_proposal_reaches_the_target_by_its_own_law() -> None:
    """The best length by the formula is no worse than any other that is tried."""
    within, between, overhead_s = 0.015, 0.01, 60.0
    block = math.hypot(within, between)
    found = proposal(block, within, overhead_s=overhead_s)

    def time_s(length_s: float) -> float:
        return (between**2 + within**2 * 10 / length_s) * (overhead_s + length_s)

    assert found.by is Narrowed.LONGER
    assert all(time_s(found.length_s) <= time_s(s) for s in (5.0, 10.0, 15.0, 30.0, 60.0))


def test_where_neither_helps_it_says_so() -> None:
    assert proposal(0.2, 0.01).by is Narrowed.NEITHER
    assert proposal(0.2, None).by is Narrowed.NEITHER
    assert proposal(0.02, None).by is Narrowed.BLOCKS
    assert proposal(0.02, 0.01, length_s=None).by is Narrowed.BLOCKS
    assert proposal(0.02, 0.01, half_width=0.009).by is Narrowed.ENOUGH
