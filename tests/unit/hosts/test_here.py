"""Whether two hosts have the same Dyno."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dyno.errors import LoadError
from dyno.hosts.clock import Offset
from dyno.hosts.here import HostRead, require_same, wall_ahead_s

HERE = HostRead(dyno="a" * 64, python="3.11", facts={}, wall_gap_ns=50_000_000_000)


def test_the_same_may_differ_in_facts() -> None:
    require_same(HERE, replace(HERE, facts={"cores_logical": 8}), "load1")


@pytest.mark.parametrize(
    ("there", "words"),
    [
        (replace(HERE, dyno="b" * 64), "load1 has another Dyno (bbbbbbbbbbbb) than this host"),
        (replace(HERE, python="3.12"), "load1 has Python 3.12, and this host has 3.11"),
    ],
)
def test_another_is_refused_by_name(there: HostRead, words: str) -> None:
    with pytest.raises(LoadError) as caught:
        require_same(HERE, there, "load1")
    assert caught.value.message.startswith(words)


def test_how_long_a_host_has_been_up_does_not_matter_to_its_wall_clock() -> None:
    here_ahead = Offset(ahead_ns=20_000_000_000, bound_ns=9)
    there = replace(HERE, wall_gap_ns=70_000_000_000)
    assert wall_ahead_s(there, HERE, here_ahead) == 0
    there = replace(HERE, wall_gap_ns=40_000_000_000)
    assert wall_ahead_s(there, HERE, here_ahead) == -30
