"""Servers that exist on paper: what rows of settings cost there. For trying searches, no forecast.

Costs are logs. A trial's noise is Student's t with 4 degrees of freedom, a random walk inside its
block, and bursts of 20 % over three trials; `sigma` is the sd of a pair's contrast.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from dyno.stats import Estimate
from dyno.stats.mirror import Block, Outcome, Question, Search, Stage

Floats = np.ndarray
Costs = Callable[[Block], Sequence[float | None]]
SERVER = 0.03


def at_b(rows: Sequence[str]) -> Floats:
    """1 where a row has B's value, shape (rows, factors)."""
    return np.array([[letter == "B" for letter in row] for row in rows], dtype=float)


def names(factors: int) -> tuple[str, ...]:
    """Settings x0, x1, ..., and the servers as the last factor."""
    return (*(f"x{i}" for i in range(factors - 1)), "server")


@dataclass
class World:
    """What a row costs: effects of factors alone, and of several at B together."""

    factors: int
    effects: dict[int, float]
    together: dict[tuple[int, ...], float] = field(default_factory=dict)
    sigma: float = 0.0
    seed: int = 0
    refuses: Callable[[str], bool] = lambda row: False

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)
        self.asked: list[Block] = []
        self.void = 0

    def clean(self, rows: Sequence[str]) -> Floats:
        """Costs without noise."""
        x = at_b(rows)
        costs = sum((size * x[:, i] for i, size in self.effects.items()), np.zeros(len(x)))
        for several, size in self.together.items():
            costs = costs + size * x[:, list(several)].prod(axis=1)
        return costs

    def noise(self, n: int) -> Floats:
        found = self.sigma / 2 * self.rng.standard_t(4, n)
        found += np.cumsum(0.1 * self.sigma * self.rng.standard_normal(n))
        begun = self.rng.random(n + 2) < 0.01
        return found + 0.2 * (begun[2:] | begun[1:-1] | begun[:-2])

    def __call__(self, block: Block) -> list[float | None]:
        self.asked.append(block)
        costs = self.clean(block.rows)
        if self.sigma and block.stage is not Stage.START:
            costs = costs + self.noise(len(costs))
        refused = [self.refuses(row) for row in block.rows]
        self.void += sum(refused) if block.stage is not Stage.START else 0
        return [None if no else float(cost) for cost, no in zip(costs, refused, strict=True)]

    @property
    def difference(self) -> float:
        (a, b) = self.clean(["A" * self.factors, "B" * self.factors])
        return float(b - a)

    def question(self, **changed: object) -> Question:
        """Its question, with a difference known to a thousandth."""
        size = self.difference
        found = Estimate(size, (size - 0.001, size + 0.001))
        keys: dict[str, object] = {"difference": found, "seed": self.seed, "server": "server"}
        return Question(factors=names(self.factors), **(keys | changed))  # type: ignore[arg-type]


def drive(question: Question, costs: Costs) -> Outcome:
    """Answer a search until it ends."""
    search = Search(question)
    while search.block is not None:
        search.put(costs(search.block))
    assert search.outcome is not None
    return search.outcome


def by_name(outcome: Outcome) -> dict[str, Estimate]:
    """The shares of the first round's settings."""
    assert outcome.first is not None
    assert outcome.first.confirmed is not None
    return {
        name: setting.share.estimate
        for setting in outcome.first.confirmed.settings
        for name in setting.factors
    }


def noise_of(number: int, row: str, sigma: float) -> float:
    """Noise that belongs to a row of a block, whichever arm is called A."""
    rng = np.random.default_rng(zlib.crc32(f"{number} {row}".encode()))
    return sigma / math.sqrt(2) * float(rng.standard_normal())
