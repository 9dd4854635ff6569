"""The judge of a run that explains a difference: after each block it says what is measured next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dyno.analysis.why.costs import cost_of
from dyno.analysis.why.rows import arm_name, arm_of, names_of
from dyno.errors import StoreError
from dyno.spec.changed import changed
from dyno.spec.experiment import Arm
from dyno.spec.plan import Plan
from dyno.spec.quantity import Turn
from dyno.spec.why import Explained
from dyno.stats import bounded
from dyno.stats.mirror import Answers, Block, Outcome, Question, Search, Stage
from dyno.store.run import RunFolder

Starts = Callable[[Arm], bool]
"""Whether a server starts as an arm wants it."""


@dataclass(frozen=True)
class Next:
    """What comes after a block: a longer plan, or what was found."""

    longer: Plan | None
    outcome: Outcome | None
    lines: list[str]


def question_of(explained: Explained) -> Question:
    """What is asked, in the terms of the search."""
    names = names_of(explained)
    return Question(
        factors=names,
        server=names[-1] if explained.server else None,
        difference=bounded(explained.cost, explained.cost_low, explained.cost_high),
        delta=explained.delta,
        alpha=explained.alpha,
        seed=explained.seed,
        budget=explained.budget_trials,
    )


def first_starts(explained: Explained) -> int:
    """How many rows a search tries to start before its first trial, if none is refused."""
    block = Search(question_of(explained)).block
    return len(block.rows) if block is not None and block.stage is Stage.START else 0


class WhyJudge:
    """Goes through the search from its begin, with what is stored: a run that was stopped goes on
    where it was. `starts` is asked about rows that nobody has tried yet. `over`: nothing more will
    be measured, so the search ends with what is stored.
    """

    def __init__(self, plan: Plan, starts: Starts, *, over: bool = False) -> None:
        self.plan = plan
        self.starts = starts
        self.over = over
        self._costs: dict[int, float | None] = {}

    def __call__(self, folder: RunFolder) -> Next:
        """What comes next, or what came out. Raises StoreError if other rows than those of the
        search are stored.
        """
        assert self.plan.explains is not None
        self._read(folder)
        search = Search(question_of(self.plan.explains))
        number = 0
        while (block := search.block) is not None:
            if block.stage is Stage.START:
                search.put(self._tried(block.rows))
                continue
            if number == len(self.plan.orders):
                self.plan = self._longer(block)
                return Next(self.plan, None, [self._said(block)])
            self._check_rows(number, block, folder)
            if not self._is_whole(number):
                return Next(self.plan, None, [])
            last = self.over and not self._is_whole(number + 1)
            search.put(self._answers(number), last=last)
            number += 1
        return Next(None, search.outcome, [])

    def _read(self, folder: RunFolder) -> None:
        """The costs of trials that are new."""
        assert self.plan.explains is not None
        for trial in folder.trials():
            if trial.number not in self._costs:
                quantity = self.plan.explains.comparison.numerator
                self._costs[trial.number] = cost_of(self.plan, folder, trial, quantity)

    def _check_rows(self, number: int, block: Block, folder: RunFolder) -> None:
        """Costs of other rows would be taken for those of these."""
        assert self.plan.explains is not None
        names = [arm_name(row, self.plan.explains) for row in block.rows]
        if names != [turn.arm for turn in self.plan.orders[number]]:
            raise StoreError(
                f"{folder.path}: block {number + 1} has other rows than this search asks for",
                hint="another version of Dyno measured it; start a new search, without --resume",
            )

    def _is_whole(self, block: int) -> bool:
        """Whether all trials of the block are there, good or not."""
        return block < len(self.plan.orders) and self._costs.keys() >= set(self._numbers(block))

    def _answers(self, block: int) -> Answers:
        return [self._costs[number] for number in self._numbers(block)]

    def _numbers(self, block: int) -> list[int]:
        positions = range(len(self.plan.orders[block]))
        return [self.plan.trial_number(block=block, position=place) for place in positions]

    def _tried(self, rows: tuple[str, ...]) -> Answers:
        """Whether each row starts; what was tried once is stored with the plan."""
        explained = self.plan.explains
        assert explained is not None
        known = dict(explained.starts)
        for row in rows:
            if row not in known:
                known[row] = self.starts(self._arm(row))
        self.plan = changed(self.plan, explains=changed(explained, starts=known))
        return [0.0 if known[row] else None for row in rows]

    def _arm(self, row: str) -> Arm:
        explained = self.plan.explains
        assert explained is not None
        first, second = self.plan.arm(explained.first), self.plan.arm(explained.second)
        return arm_of(row, explained, first, second)

    def _longer(self, block: Block) -> Plan:
        """The plan with one more block, and the arms that are new in it."""
        arms = {arm.name: arm for arm in self.plan.arms}
        wanted = [self._arm(row) for row in block.rows]
        arms |= {arm.name: arm for arm in wanted}
        orders = [*self.plan.orders, [Turn(arm=arm.name) for arm in wanted]]
        looks = list(range(1, len(orders) + 1))
        return changed(self.plan, arms=list(arms.values()), orders=orders, looks=looks)

    def _said(self, block: Block) -> str:
        return f"{block.stage.value}: block {len(self.plan.orders)}, {len(block.rows)} trials"
