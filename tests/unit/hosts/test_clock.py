"""Another host's clock: echoes whose truth is known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyno.hosts.clock import Echo, offset_of, wall_warning

SOME_NS = st.integers(0, 50_000_000)


def echo(ahead_ns: int, out_ns: int, back_ns: int, *, sent_ns: int = 10**12) -> Echo:
    received_ns = sent_ns + out_ns + ahead_ns
    answered_ns = received_ns + 30_000
    return Echo(sent_ns, received_ns, answered_ns, answered_ns - ahead_ns + back_ns)


def test_equal_ways_give_the_truth() -> None:
    found = offset_of([echo(5_000_000_000, 40_000, 40_000)])
    assert (found.ahead_ns, found.bound_ns) == (5_000_000_000, 40_000)
    assert found.here(5_000_000_007) == 7


@given(
    ahead_ns=st.integers(-(10**15), 10**15),
    ways=st.lists(st.tuples(SOME_NS, SOME_NS), min_size=1, max_size=20),
)
def test_the_truth_is_within_the_bound(ahead_ns: int, ways: list[tuple[int, int]]) -> None:
    found = offset_of(echo(ahead_ns, *way) for way in ways)
    assert abs(found.ahead_ns - ahead_ns) <= found.bound_ns
    assert found.bound_ns == min(sum(way) for way in ways) / 2


def test_without_an_echo_nothing_is_known() -> None:
    with pytest.raises(ValueError, match="empty"):
        offset_of([])


@pytest.mark.parametrize(("ahead_s", "words"), [(30.04, "30.0 s ahead of"), (-1.5, "1.5 s behind")])
def test_a_wall_clock_that_is_off_is_said(ahead_s: float, words: str) -> None:
    assert wall_warning(ahead_s) == (
        f"its clock is {words} that of the servers' host: times in its files are off"
    )


def test_wall_clocks_that_people_take_for_equal_are_right() -> None:
    assert wall_warning(0.9) is None
    assert wall_warning(-0.9) is None
