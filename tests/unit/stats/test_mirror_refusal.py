"""What keeps a server from starting is found by starting it, and a search goes around it."""

from __future__ import annotations

import random

import pytest
from mirror_worlds import World, drive

from dyno.stats.mirror import Ending, Stage, smallest_refusal


def conflict(row: str) -> bool:
    """x3 at B with x7 at A."""
    return row[3] == "B" and row[7] == "A"


def test_a_conflict_becomes_one_factor_and_no_trial_is_void() -> None:
    world = World(18, {5: 0.1, 3: 0.06, 17: 0.03}, sigma=0.015, seed=8, refuses=conflict)
    outcome = drive(world.question(), world)
    (merge,) = outcome.merges
    assert merge.factors == ("x3", "x7")
    assert merge.minimal
    assert merge.starts <= 30
    assert world.void == 0
    assert {setting.factors for setting in outcome.named} == {("x5",), ("x3", "x7")}
    assert conflict(outcome.refused[0])
    dry = [block for block in world.asked if block.stage is Stage.START]
    assert outcome.starts == sum(len(block.rows) for block in dry)
    assert len({row for block in dry for row in block.rows}) == outcome.starts


def test_what_refuses_alone_on_the_other_server_belongs_to_the_servers() -> None:
    world = World(
        10, {0: 0.2}, sigma=0.01, seed=9, refuses=lambda row: row[2] == "B" and row[-1] == "A"
    )
    outcome = drive(world.question(), world)
    assert [merge.factors for merge in outcome.merges] == [("x2", "server")]
    assert outcome.first is not None
    assert outcome.first.confirmed is not None
    server = outcome.first.confirmed.server
    assert server is not None
    assert server.factors == ("x2", "server")


def test_two_conflicts_are_found_one_after_the_other() -> None:
    def refuses(row: str) -> bool:
        return conflict(row) or (row[0] == "A" and row[4] == "B" and row[9] == "A")

    world = World(14, {1: 0.2}, sigma=0.01, seed=10, refuses=refuses)
    outcome = drive(world.question(), world)
    assert {merge.factors for merge in outcome.merges} == {("x3", "x7"), ("x0", "x4", "x9")}
    assert world.void == 0


def test_all_factors_in_one_conflict_leave_nothing_to_tell_apart() -> None:
    world = World(2, {0: 0.1}, seed=1, refuses=lambda row: row in ("AB", "BA"))
    outcome = drive(world.question(), world)
    assert outcome.ending is Ending.ONE_FACTOR
    assert outcome.merges[0].factors == ("x0", "server")
    assert outcome.trials == 0


def test_any_rule_of_up_to_three_values_is_found_whole() -> None:
    chance = random.Random(11)
    most = 0
    for _ in range(300):
        places = sorted(chance.sample(range(18), chance.choice((2, 2, 3))))
        letters = "".join(chance.choice("AB") for _ in places)
        if len(set(letters)) == 1:
            continue
        rule = dict(zip(places, letters, strict=True))
        row = "".join(rule.get(place, chance.choice("AB")) for place in range(18))
        asked: list[str] = []

        def starts(tried: str, rule: dict[int, str] = rule, asked: list[str] = asked) -> bool:
            asked.append(tried)
            return any(tried[place] != letter for place, letter in rule.items())

        found = smallest_refusal(starts, row)
        assert set(places) <= set(found.places)
        assert len(asked) == len(set(asked)) == found.starts <= 30
        if found.minimal:
            assert found.places == tuple(places)
        most = max(most, found.starts)
    assert most > 10


def test_two_rules_in_one_row_are_not_mixed_up() -> None:
    def starts(row: str) -> bool:
        return not (row[0] + row[12] == "BA" or row[9] + row[3] == "BA")

    for row in ("BABABABABBABABABAB", "BAAAAAAAABAAAAAAAB"):
        assert not starts(row)
        assert smallest_refusal(starts, row).places in {(0, 12), (3, 9)}


def test_too_few_starts_give_a_set_that_is_too_large_and_say_so() -> None:
    found = smallest_refusal(lambda row: not conflict(row), "ABABBBAAABABABABAB"[:18], most=3)
    assert {3, 7} <= set(found.places)
    assert (found.minimal, found.starts) == (False, 3)


def test_rows_of_one_arm_alone_start() -> None:
    with pytest.raises(ValueError, match="these start"):
        smallest_refusal(lambda row: True, "BBB")
