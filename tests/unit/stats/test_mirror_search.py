"""Whole searches on servers that exist on paper: what is found, what it takes, what is asked."""

from __future__ import annotations

import math
from dataclasses import asdict, replace

import numpy as np
import pytest
from mirror_worlds import SERVER, World, by_name, drive, names, noise_of
from thinned import WHOLE

from dyno.stats import Estimate
from dyno.stats.mirror import (
    Block,
    Ending,
    Kind,
    Outcome,
    Question,
    Search,
    Stage,
    Standing,
)

SWAP = str.maketrans("AB", "BA")


def named(outcome: Outcome) -> set[str]:
    return {name for setting in outcome.named for name in setting.factors}


def test_without_noise_a_search_finds_the_shares_that_are_there() -> None:
    world = World(9, {0: 0.1, 2: -0.05, 8: 0.03}, {(3, 4): 0.08}, seed=1)
    outcome = drive(world.question(), world)
    assert outcome.ending is Ending.CONFIRMED
    assert named(outcome) == {"x0", "x2", "x3", "x4"}
    expected = {"x0": 0.1, "x2": -0.05, "x3": 0.04, "x4": 0.04}
    assert {k: v.value for k, v in by_name(outcome).items()} == pytest.approx(expected, abs=1e-12)
    assert outcome.first is not None
    found = outcome.first.confirmed
    assert found is not None
    assert found.server is not None
    assert found.rest is not None
    assert found.gap is not None
    assert found.difference is not None
    for share, value in ((found.server, 0.03), (found.rest, 0.0)):
        assert share.figure is not None
        assert share.figure.estimate.value == pytest.approx(value, abs=1e-12)
    assert found.gap.estimate.value == pytest.approx(0.0, abs=1e-12)
    assert found.difference.estimate.value == pytest.approx(0.16, abs=1e-12)
    assert found.rest.factors == ("x1", "x5", "x6", "x7")
    # 24 pairs; blocks of 16, both anchors and 8 rows both ways; blocks of a pair's 4 rows.
    assert (found.blocks, outcome.trials) == (10, 2 * 24 + 10 * 26 + 10 * 4)
    (pair,) = found.pairs
    assert (pair.kind, pair.holds) == (Kind.BOTH, True)
    assert set(pair.settings) == {("x3",), ("x4",)}
    assert pair.excess.estimate.value == pytest.approx(0.08, abs=1e-12)
    ways = {"x0": (0.1, 0.1), "x2": (-0.05, -0.05), "x3": (0.0, 0.08), "x4": (0.0, 0.08)}
    for setting in outcome.named:
        added, removed = ways[setting.factors[0]]
        figures = (setting.added, setting.removed, setting.interaction)
        values = [figure.estimate.value for figure in figures if figure is not None]
        assert values == pytest.approx([added, removed, removed - added], abs=1e-12)
        assert setting.interaction_p is not None
        assert added == removed or setting.interaction_p < 0.05


@pytest.mark.slow
def test_a_cause_of_a_tenth_is_found_at_noise_of_four_percent() -> None:
    sessions = 100 if WHOLE else 60
    found, trials = 0, []
    for seed in range(sessions):
        cause = int(np.random.default_rng(seed).integers(17))
        world = World(18, {cause: math.log1p(0.1), 17: SERVER}, sigma=0.04, seed=seed)
        outcome = drive(world.question(both_ways=False, dry=False), world)
        found += named(outcome) == {f"x{cause}"}
        trials.append(outcome.trials)
    assert found >= 0.97 * sessions
    assert np.mean(trials) <= 380


@pytest.mark.slow
def test_without_a_cause_nothing_is_named() -> None:
    for seed in range(100 if WHOLE else 30):
        world = World(18, {17: SERVER}, sigma=0.015, seed=seed)
        outcome = drive(world.question(dry=False), world)
        assert not outcome.named
        assert outcome.ending in (Ending.NONE_FOUND, Ending.CONFIRMED)
        assert outcome.first is not None
        assert outcome.first.screened is not None
        assert 0 < outcome.first.screened.resolution < 0.02


@pytest.mark.slow
def test_the_rest_is_opened_and_only_what_costs_is_named() -> None:
    """Eight causes, of which five are confirmed at first; false names in both rounds together."""
    missed, false = 0, 0
    sessions = 60 if WHOLE else 15
    for seed in range(sessions):
        effects = {i: 0.05 + 0.01 * i for i in range(8)} | {20: SERVER}
        world = World(21, effects, sigma=0.015, seed=seed)
        outcome = drive(world.question(dry=False, both_ways=False), world)
        assert outcome.opened is not None
        causes = {f"x{i}" for i in range(8)}
        missed += len(causes - named(outcome))
        false += bool(named(outcome) - causes)
        opened = outcome.opened.confirmed
        assert opened is not None
        assert opened.alpha <= 0.05
    assert missed <= 0.02 * 8 * sessions
    assert false <= 0.1 * sessions


def test_swapping_the_arms_negates_everything() -> None:
    world = World(12, {0: 0.1, 4: -0.06, 11: 0.03}, {(1, 2): 0.2}, seed=3)

    def costs(block: Block, *, swapped: bool) -> list[float | None]:
        rows = [row.translate(SWAP) if swapped else row for row in block.rows]
        noise = [noise_of(block.number, row, 0.02) for row in rows]
        return [float(x) for x in world.clean(rows) + noise]

    question = world.question()
    there = drive(question, lambda block: costs(block, swapped=False))
    negated = replace(question, difference=question.difference.through(lambda x: -x))
    back = drive(negated, lambda block: costs(block, swapped=True))
    assert len(by_name(there)) == 4
    assert named(back) == named(there)
    assert by_name(back) == {
        name: estimate.through(lambda x: -x) for name, estimate in by_name(there).items()
    }
    assert there.trials == back.trials
    for one, other in zip(there.named, back.named, strict=True):
        assert one.added is not None
        assert other.removed is not None
        assert other.removed.estimate == one.added.estimate.through(lambda x: -x)


def test_a_budget_of_thirty_trials_names_nothing_among_seventeen_settings() -> None:
    world = World(18, {0: 0.3, 17: SERVER}, sigma=0.015, seed=4)
    outcome = drive(world.question(budget=30), world)
    assert outcome.ending is Ending.TOO_FEW
    assert not outcome.named
    assert outcome.trials == 30


@pytest.mark.parametrize("budget", [60, 140, 220])
def test_a_budget_makes_a_last_look_of_the_blocks_at_hand(budget: int) -> None:
    world = World(18, {0: 0.3, 17: SERVER}, sigma=0.015, seed=5)
    outcome = drive(world.question(budget=budget), world)
    assert outcome.trials <= budget
    assert outcome.first is not None
    found = outcome.first.confirmed
    if budget == 60:
        assert found is not None
        assert found.cut_short
        assert found.blocks < 10
        assert [s.standing for s in found.settings] == [Standing.OPEN] * len(found.settings)
    if budget == 220:
        assert named(outcome) == {"x0"}


def test_screening_leaves_ten_blocks_of_the_budget_to_confirmation() -> None:
    world = World(18, {0: 0.3, 17: SERVER}, sigma=0.2, seed=6)
    outcome = drive(world.question(budget=320, both_ways=False), world)
    assert outcome.first is not None
    assert outcome.first.screened is not None
    assert outcome.first.screened.replicates < 4
    assert outcome.first.confirmed is not None
    assert outcome.first.confirmed.blocks >= 10
    assert not outcome.first.confirmed.cut_short or outcome.first.confirmed.blocks > 10


def test_few_settings_are_confirmed_without_screening() -> None:
    world = World(5, {1: 0.1, 2: 0.3, 4: SERVER}, sigma=0.015, seed=6)
    outcome = drive(world.question(), world)
    assert outcome.first is not None
    assert outcome.first.screened is None
    assert named(outcome) == {"x1", "x2"}
    assert {block.stage for block in world.asked} == {Stage.START, Stage.CONFIRM}
    found = outcome.first.confirmed
    assert found is not None
    assert found.rest is None
    assert {s.factors: s.standing for s in found.settings}[("x3",)] is Standing.DROPPED


def test_three_settings_together_are_apportioned_by_a_full_factorial() -> None:
    world = World(9, {8: 0.03}, {(0, 1, 2): 0.3}, sigma=0.015, seed=7)
    outcome = drive(world.question(), world)
    assert named(outcome) == {"x0", "x1", "x2"}
    assert outcome.first is not None
    found = outcome.first.confirmed
    assert found is not None
    assert found.gap is not None
    assert found.gap.estimate.value == pytest.approx(0.075, abs=0.03)
    assert found.joint is not None
    # On A, two of the three do nothing.
    assert [pair.holds for pair in found.pairs] == [False, False, False]
    shares = {share.factors: share.figure for share in found.joint.shares}
    assert len(shares) == 4
    for name in ("x0", "x1", "x2"):
        figure = shares[(name,)]
        assert figure is not None
        assert figure.estimate.value == pytest.approx(0.1, abs=0.01)
        low, high = figure.estimate.bounds
        assert low < 0.1 < high


def test_a_gap_that_does_not_matter_is_not_apportioned() -> None:
    world = World(5, {3: 0.1, 4: 0.03}, {(0, 1, 2): 0.016}, seed=7)
    outcome = drive(world.question(), world)
    assert outcome.first is not None
    found = outcome.first.confirmed
    assert found is not None
    assert found.gap is not None
    low, high = found.gap.estimate.bounds
    assert 0 < low <= high < 0.0099
    assert found.joint is None


def test_either_of_two_limits_is_enough() -> None:
    """The smaller of two limits, lowered: each costs alone, and removing one saves nothing."""
    world = World(9, {0: 0.3, 1: 0.3, 8: 0.03}, {(0, 1): -0.3}, sigma=0.015, seed=8)
    outcome = drive(world.question(), world)
    assert outcome.first is not None
    assert outcome.first.confirmed is not None
    (pair,) = outcome.first.confirmed.pairs
    assert (pair.kind, pair.holds) == (Kind.EITHER, True)
    assert set(pair.settings) == {("x0",), ("x1",)}
    assert pair.effect.estimate.value == pytest.approx(0.3, abs=0.03)
    for setting in outcome.named:
        assert setting.share.estimate.value == pytest.approx(0.15, abs=0.02)


def test_void_trials_cost_blocks_and_nothing_else() -> None:
    world = World(10, {0: 0.2, 9: SERVER}, sigma=0.015, seed=9)
    chance = np.random.default_rng(10)

    def costs(block: Block) -> list[float | None]:
        whole = world(block)
        if block.stage is Stage.START:
            return whole
        return [None if chance.random() < 0.08 else cost for cost in whole]

    outcome = drive(world.question(both_ways=False), costs)
    assert named(outcome) == {"x0"}
    assert outcome.first is not None
    found = outcome.first.confirmed
    assert found is not None
    assert found.difference is not None
    assert found.difference.n <= found.blocks


def test_a_server_that_never_answers_ends_the_search() -> None:
    world = World(4, {0: 0.2, 3: SERVER}, seed=10)
    outcome = drive(world.question(dry=False), lambda block: [None] * len(block.rows))
    assert outcome.ending is Ending.TOO_FEW
    assert not outcome.named


@pytest.mark.parametrize("ended", [False, True])
def test_a_search_is_resumed_by_what_was_stored(ended: bool) -> None:
    world = World(10, {0: 0.2, 9: SERVER}, sigma=0.02, seed=11)
    question = world.question()
    search, stored = Search(question), []
    while search.block is not None and (ended or len(stored) < 30):
        block = search.block
        costs = world(block)
        stored.append((block, costs))
        search.put(costs)
    again = Search(question)
    for block, costs in stored:
        assert again.block == block
        again.put(costs)
    assert again.block == search.block
    assert again.outcome == search.outcome
    assert (again.outcome is not None) == ended
    assert Search(replace(question, seed=12)).block != stored[0][0]


def test_rows_are_plain_words_with_a_letter_for_each_factor() -> None:
    world = World(10, {0: 0.2, 9: SERVER}, sigma=0.02, seed=12)
    drive(world.question(), world)
    assert [block.number for block in world.asked] == list(range(len(world.asked)))
    for block in world.asked:
        assert all(len(row) == 10 and set(row) <= {"A", "B"} for row in block.rows)
    pairs = [block.rows for block in world.asked if block.stage is Stage.SCREEN]
    assert all(one.translate(SWAP) == other for one, other in pairs)
    confirming = [block.rows for block in world.asked if block.stage is Stage.CONFIRM]
    assert all({"A" * 10, "B" * 10} <= set(rows) for rows in confirming)
    # The order inside a block is drawn, too.
    assert len({rows.index("A" * 10) for rows in confirming}) > 3
    assert {one.count("A") > 5 for one, _ in pairs} == {False, True}


def test_no_difference_is_nothing_to_explain() -> None:
    for difference in (Estimate(0.05, (-0.01, 0.11)), Estimate(0.005, (0.004, 0.006))):
        question = Question(factors=names(9), server="server", difference=difference, seed=1)
        outcome = Search(question).outcome
        assert outcome is not None
        assert outcome.ending is Ending.NO_DIFFERENCE
        assert asdict(outcome)["trials"] == 0


def test_mistakes_are_refused() -> None:
    size = Estimate(0.1, (0.09, 0.11))
    with pytest.raises(ValueError, match="names of their own"):
        Question(factors=("x", "x"), difference=size, seed=1)
    with pytest.raises(ValueError, match="isn't among"):
        Question(factors=("x",), server="y", difference=size, seed=1)
    with pytest.raises(ValueError, match="alpha"):
        Question(factors=("x",), difference=size, seed=1, alpha=1.0)
    with pytest.raises(ValueError, match="unknown"):
        Question(factors=("x",), difference=Estimate(math.nan), seed=1)
    with pytest.raises(ValueError, match="69 factors"):
        Search(Question(factors=names(69), difference=size, seed=1))
    search = Search(Question(factors=names(4), difference=size, seed=1, dry=False))
    assert search.block is not None
    with pytest.raises(ValueError, match="1 costs"):
        search.put([1.0])
    with pytest.raises(ValueError, match="finite"):
        search.put([math.inf] * len(search.block.rows))
    ended = Search(Question(factors=("x",), difference=size, seed=1))
    assert ended.outcome is not None
    assert ended.outcome.ending is Ending.ONE_FACTOR
    with pytest.raises(ValueError, match="ended"):
        ended.put([])
