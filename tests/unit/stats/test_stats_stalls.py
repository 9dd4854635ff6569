"""Stalls that were put in are found, with their length and owner; noise makes none."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from load_models import steady, tenths

from dyno.stats import evenness, find_stalls

SECONDS = 60


def load(*, ops: float = 30, seed: int = 41) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return tenths(rng, steady(rng, 1, SECONDS), ops=ops)[0].astype(float)


def found(counts: np.ndarray, **more: object) -> list[tuple[float, float]]:
    stalls = find_stalls(counts, **more)  # type: ignore[arg-type]
    assert stalls is not None
    return [(s.start_s, s.end_s) for s in stalls.stalls]


@pytest.mark.parametrize("expected", [None, 30.0])
def test_a_stall_is_found_where_it_was_put(expected: float | None) -> None:
    counts = load()
    counts[200:220] = 0
    assert found(counts, expected=expected) == [(20.0, 22.0)]


def test_shorter_than_half_a_second_is_none() -> None:
    counts = load()
    counts[200:204] = 0
    assert found(counts) == []
    counts[204] = 1
    assert found(counts) == [(20.0, 20.5)]


def test_short_gaps_are_bridged_and_longer_ones_are_not() -> None:
    counts = load()
    counts[200:220] = 0
    counts[208:210] = 30
    assert found(counts) == [(20.0, 22.0)]
    counts[207:210] = 30
    assert found(counts) == [(20.0, 20.7), (21.0, 22.0)]


@pytest.mark.parametrize("ops", [6.0, 30.0, 500.0])
def test_poisson_arrivals_stall_nowhere(ops: float) -> None:
    rng = np.random.default_rng(42)
    for trial in tenths(rng, steady(rng, 100, SECONDS, cv=0.1), ops=ops):
        assert found(trial) == []
        assert found(trial, expected=ops) == []


def test_negative_control_too_few_ops_say_nothing() -> None:
    assert find_stalls(load(ops=2)) is None
    assert find_stalls(np.zeros(600)) is None
    # With two ops a tenth, noise alone would be full of stalls:
    counts = load(ops=2)
    assert np.sum(counts == 0) > 50


def test_a_stall_of_more_than_half_a_minute_does_not_lower_its_own_yardstick() -> None:
    counts = load()
    counts[100:500] = 0
    assert found(counts) == [(10.0, 50.0)]


def test_an_open_load_that_died_early_is_seen_without_its_rate_too() -> None:
    counts = load()
    counts[50:] = 0
    assert found(counts, expected=30.0) == [(5.0, 60.0)]


def test_a_late_load_host_owns_the_stall() -> None:
    counts, late_ms = load(), np.zeros(600)
    counts[200:220] = 0
    counts[400:420] = 0
    late_ms[220] = 1950.0  # Seen when the host wakes up, just after the stall.
    late_ms[300] = 400.0
    late_ms[410] = 40.0
    stalls = find_stalls(counts, late_ms=late_ms)
    assert stalls is not None
    assert [(s.start_s, s.owner) for s in stalls.stalls] == [(20.0, "host"), (40.0, "server")]


def test_one_late_wake_up_excuses_no_more_than_it_covers() -> None:
    counts, late_ms = load(), np.zeros(600)
    counts[100:400] = 0
    late_ms[250] = 60.0
    (stall,) = find_stalls(counts, late_ms=late_ms).stalls  # type: ignore[union-attr]
    assert (stall.owner, stall.duration_s) == ("server", 30.0)
    assert (stall.host_s, stall.server_s) == (0.2, 29.8)


@pytest.mark.parametrize(
    ("late_ms_at", "owner", "server_s"),
    [
        ({}, "server", 1.0),
        ({209: 300.0}, "server", 0.6),
        ({209: 500.0}, "host", 0.4),  # 0.6 s of it.
        ({204: 250.0}, "server", 0.6),
        ({203: 250.0, 208: 150.0}, "host", 0.3),
        ({215: 2000.0}, "host", 0.0),
    ],
)
def test_a_stall_is_the_part_that_alone_is_one(
    late_ms_at: dict[int, float], owner: str, server_s: float
) -> None:
    counts, late_ms = load(), np.zeros(600)
    counts[200:210] = 0
    for place, value in late_ms_at.items():
        late_ms[place] = value
    (stall,) = find_stalls(counts, late_ms=late_ms).stalls  # type: ignore[union-attr]
    assert (stall.owner, stall.server_s) == (owner, server_s)


def test_what_nobody_watched_is_unknown() -> None:
    counts = load()
    counts[200:220] = 0
    for late_ms in (None, np.full(600, np.nan)):
        (stall,) = find_stalls(counts, late_ms=late_ms).stalls  # type: ignore[union-attr]
        assert stall.owner == "unknown"
    # Too short for either alone: 0.4 s of it the host's, 0.3 s the server's.
    counts, late = load(), np.zeros(600)
    counts[200:207] = 0
    late[203] = 250.0
    (stall,) = find_stalls(counts, late_ms=late).stalls  # type: ignore[union-attr]
    assert (stall.owner, stall.host_s, stall.server_s) == ("unknown", 0.4, 0.3)
    # Half a heartbeat is enough where the rest is long enough by itself.
    half = np.zeros(600)
    half[200:210] = np.nan
    counts[200:220] = 0
    (stall,) = find_stalls(counts, late_ms=half).stalls  # type: ignore[union-attr]
    assert (stall.owner, stall.server_s, stall.unknown_s) == ("server", 1.0, 1.0)


@given(st.integers(0, 2**32 - 1), st.floats(0, 1), st.floats(0, 0.1))
def test_parts_of_a_stall_add_up(seed: int, unknown: float, late: float) -> None:
    rng = np.random.default_rng(seed)
    counts = load()
    counts[200:240] = 0
    late_ms = np.where(rng.random(600) < late, rng.uniform(0, 3000, 600), 0.0)
    late_ms[rng.random(600) < unknown] = np.nan
    (stall,) = find_stalls(counts, late_ms=late_ms).stalls  # type: ignore[union-attr]
    assert stall.host_s + stall.unknown_s + stall.server_s == pytest.approx(stall.duration_s)


def test_a_slowdown_is_not_a_stall_nor_a_stall_a_slowdown() -> None:
    counts = load()
    counts[200:230] = 0
    counts[400:440] *= 0.3
    stalls = find_stalls(counts)
    assert stalls is not None
    assert [(s.start_s, s.end_s) for s in stalls.stalls] == [(20.0, 23.0)]
    (slow,) = stalls.slowdowns
    assert slow.start_s == pytest.approx(40.0, abs=0.5)
    assert slow.duration_s == pytest.approx(4.0, abs=0.8)


@given(
    st.integers(0, 540), st.integers(5, 59), st.integers(0, 2**32 - 1), st.sampled_from([20, 300])
)
def test_any_stall_is_found_whole(start: int, length: int, seed: int, ops: int) -> None:
    counts = load(ops=ops, seed=seed)
    counts[start : start + length] = 0
    assert found(counts) == [
        (pytest.approx(start / 10), pytest.approx((start + length) / 10)),
    ]


def test_evenness_of_known_seconds() -> None:
    even = evenness([100.0] * 99 + [40.0])
    assert even is not None
    assert even.worst_share == pytest.approx(0.4)
    assert even.p1_share == pytest.approx(0.994)
    assert even.cv == pytest.approx(6 / 99.4)
    assert evenness([0.0] * 10) is None
    assert evenness([1.0]) is None
