"""Sets of CPUs, and the placement that an experiment declares."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from dyno.cpus import format_cpus, parse_cpus
from dyno.spec.placement import Sets, named_sets
from dyno.spec.protocol import Protocol


@given(st.frozensets(st.integers(0, 300), min_size=1))
def test_a_set_is_read_as_it_is_written(cpus: frozenset[int]) -> None:
    assert parse_cpus(format_cpus(cpus)) == cpus


def test_neighbours_are_a_range() -> None:
    assert format_cpus([5, 0, 1, 2, 7, 2]) == "0-2,5,7"
    assert format_cpus([]) == ""
    assert parse_cpus(" 0-1 , 4") == {0, 1, 4}


@pytest.mark.parametrize("text", ["", "a", "1-", "-1", "3-1", "0,,1", "9999", "1.5", "0 1", "²"])
def test_what_is_no_list_of_cpus_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"CPU|begins"):
        parse_cpus(text)


def test_a_placement_is_a_word_or_two_sets() -> None:
    assert Protocol().placement == "free"
    assert Protocol(placement="split").placement == "split"
    assert Protocol(placement="0,1,2/ 3").placement == "0-2/3"
    assert named_sets("0-2/3") == Sets(frozenset({0, 1, 2}), frozenset({3}))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("spilt", "no placement"),
        ("0-3", "no placement"),
        ("0-3/", "not a list of CPUs"),
        ("0-3/3", "share CPU 3"),
        ("0/1/2", "not a list of CPUs"),
    ],
)
def test_another_placement_is_refused(text: str, says: str) -> None:
    with pytest.raises(ValidationError, match=says):
        Protocol(placement=text)
