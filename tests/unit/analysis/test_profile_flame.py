"""Both arms' stacks as one tree."""

from __future__ import annotations

import pytest

from dyno.analysis.profiles import ProfiledTrial, compare
from dyno.store.stacks import parse_folded

BASELINE = """
mariadbd`do_command;mariadbd`row_search_mvcc 60
mariadbd`do_command 30
mariadbd`MYSQLparse 10
"""
ARM = """
mariadbd`do_command;mariadbd`row_search_mvcc 90
mariadbd`do_command 30
"""


def trials(text: str, cpu_s: float) -> list[ProfiledTrial]:
    return [
        ProfiledTrial(block=block, stacks=parse_folded(text), cpu_s=cpu_s, ops=100)
        for block in range(3)
    ]


def test_a_node_costs_what_is_below_it_in_each_arm_and_the_roots_are_the_whole() -> None:
    found = compare(trials(ARM, 1.2), trials(BASELINE, 1.0), names=("B", "A")).flame
    assert found is not None
    assert found.names == ["do_command", "row_search_mvcc", "MYSQLparse"]
    assert found.parents == [-1, 0, -1]
    assert found.points == pytest.approx([120, 90, 0])
    assert found.baseline_points == pytest.approx([90, 60, 10])
