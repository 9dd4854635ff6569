"""What all stages of a search share: the draw, the counts, what was merged, how rows are asked for.

A unit is what changes as one: a factor, or several that were merged. Tables of rows have a column
for each unit, -1 for A's value and +1 for B's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from dyno.stats.mirror.outcome import Names
from dyno.stats.mirror.question import Block, Question, Stage, Steps
from dyno.stats.mirror.refusal import Refusal, refusal_search
from dyno.stats.rank import Floats

Player = tuple[int, ...]
"""Units that change together."""


@dataclass(frozen=True)
class Frame:
    """Of `size` units those that vary; all others have B's value."""

    size: int
    units: Player

    def table(self, signs: Floats, players: Sequence[Player]) -> Floats:
        """Rows for players, shape (rows, players), as rows for all units, shape (rows, size)."""
        table = np.ones((len(signs), self.size))
        for column, player in enumerate(players):
            table[:, list(player)] = signs[:, [column]]
        return table


class Session:
    """The state of a search. Everything in it follows from the question and the answers so far."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.rng = np.random.default_rng(question.seed)
        self.units: list[tuple[int, ...]] = [(i,) for i in range(len(question.factors))]
        self.trials = self.starts = 0
        self.spent = False
        self._blocks = 0
        anchors = ("A" * len(question.factors), "B" * len(question.factors))
        self._starts: dict[str, bool] = dict.fromkeys(anchors, True)

    @property
    def server(self) -> int | None:
        """The unit that holds the servers' factor."""
        name = self.question.server
        return None if name is None else self.unit_of(name)

    def unit_of(self, name: str) -> int:
        """The unit that holds a factor."""
        place = self.question.factors.index(name)
        return next(i for i, unit in enumerate(self.units) if place in unit)

    @property
    def refused(self) -> tuple[str, ...]:
        """The rows that don't start, in the order tried."""
        return tuple(row for row, starts in self._starts.items() if not starts)

    def names(self, player: Iterable[int]) -> Names:
        """The names of all factors of some units, in the order of the question."""
        places = sorted(place for unit in player for place in self.units[unit])
        return tuple(self.question.factors[place] for place in places)

    def affords(self, trials: int) -> bool:
        """Whether the budget has this many trials left, and isn't `spent` otherwise."""
        budget = self.question.budget
        return not self.spent and (budget is None or self.trials + trials <= budget)

    def words(self, table: Floats) -> tuple[str, ...]:
        """The rows of a table, shape (rows, units), as words with a letter for each factor."""
        unit_of = {place: unit for unit, places in enumerate(self.units) for place in places}
        columns = [unit_of[place] for place in range(len(unit_of))]
        return tuple("".join("B" if x > 0 else "A" for x in row) for row in table[:, columns])

    def measure(self, stage: Stage, table: Floats) -> Steps[Floats]:
        """Log costs of a table's rows, in its order; NaN for void trials. Runs in random order."""
        order = self.rng.permutation(len(table))
        rows = self.words(table[order])
        self.trials += len(rows)
        answers = yield self._block(stage, rows)
        costs = np.full(len(rows), np.nan)
        costs[order] = [np.nan if answer is None else answer for answer in answers]
        return costs

    def refusing(self, rows: Sequence[str]) -> Steps[str | None]:
        """The first of the rows with which a server doesn't start. No row is tried twice."""
        untried = tuple(row for row in dict.fromkeys(rows) if row not in self._starts)
        if untried:
            self.starts += len(untried)
            answers = yield self._block(Stage.START, untried)
            for row, answer in zip(untried, answers, strict=True):
                self._starts[row] = answer is not None
        return next((row for row in rows if not self._starts[row]), None)

    def refusal(self, row: str) -> Steps[Refusal]:
        """What in a refusing row refuses."""
        search = refusal_search(row, groups=self.units)
        try:
            asked = next(search)
            while True:
                refused = yield from self.refusing([asked])
                asked = search.send(refused is None)
        except StopIteration as end:
            found: Refusal = end.value
            return found

    def merge(self, places: Iterable[int]) -> None:
        """Make one unit of all units that hold some of these factors."""
        held = set(places)
        joined = [unit for unit in self.units if held & set(unit)]
        kept = [unit for unit in self.units if not held & set(unit)]
        merged = tuple(sorted(place for unit in joined for place in unit))
        self.units = sorted([*kept, merged])

    def _block(self, stage: Stage, rows: tuple[str, ...]) -> Block:
        self._blocks += 1
        return Block(number=self._blocks - 1, stage=stage, rows=rows)
