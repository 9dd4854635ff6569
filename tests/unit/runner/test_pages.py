"""The parts of a storage reading that need no server: page sizes, partitions, whose turn it is."""

from __future__ import annotations

import pytest
from test_runs import plan_of

from dyno.runner.pages import is_asked, page_bytes, whole_table


@pytest.mark.parametrize(
    ("options", "size"),
    [
        ("", 16384),
        ("row_format=COMPRESSED key_block_size=8", 8192),
        ("row_format=COMPRESSED KEY_BLOCK_SIZE=4 partitioned", 4096),
        ("`PAGE_COMPRESSED`=1", 16384),
        ("key_block_size=0", 16384),
    ],
)
def test_pages_are_as_large_as_the_table_was_made(options: str, size: int) -> None:
    assert page_bytes(options, 16384) == size


@pytest.mark.parametrize("name", ["linktable", "linktable#P#p0", "linktable#p#p15"])
def test_partitions_are_their_table_s(name: str) -> None:
    assert whole_table(name) == "linktable"


def test_an_arm_is_asked_once_when_it_has_no_other_trial_in_the_first_block() -> None:
    plan = plan_of()
    asked = [
        (block, position, turn.arm)
        for block, order in enumerate(plan.orders)
        for position, turn in enumerate(order)
        if is_asked(plan, turn.arm, block=block, position=position)
    ]
    assert {arm for _, _, arm in asked} == {"a", "b"}
    assert len(asked) == 2
    # The points come one after the other: both are in the last of them.
    assert {(block, position) for block, position, _ in asked} == {(0, 4), (0, 5)}
