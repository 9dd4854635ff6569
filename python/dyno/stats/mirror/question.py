"""What is asked, and the plain data in which a measuring side is asked for trials and answers.

Rows are words of `A` and `B`, a letter for each factor in the order of the question: which server's
value it has. A runner needs nothing of this package: it takes a block's rows in the order given,
and gives back one number a row.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from dyno.looks import schedule
from dyno.stats.estimate import Estimate
from dyno.stats.sequential import ONE_PERCENT

LOOKS = schedule(first=10, last=22)
"""Confirming blocks are judged after 10, 15 and 22: five settings at once need 10 for any level."""

WORTH_SHARE = 10
"""A tenth of the difference is worth finding."""

NEAR_SHARE = 20
"""A twentieth of the difference is as good as nothing."""


class Stage(StrEnum):
    """What a block is for."""

    START = "start"
    SCREEN = "screen"
    CONFIRM = "confirm"
    JOINT = "joint"
    TOGETHER = "together"


@dataclass(frozen=True, kw_only=True)
class Block:
    """Rows to be measured one right after the other, in this order.

    `number` counts blocks from 0. In stage `START` nothing is measured: the answer to a row is any
    number if a server starts with it, None if it refuses.
    """

    number: int
    stage: Stage
    rows: tuple[str, ...]


Answers = Sequence[float | None]
"""The log cost of each row of a block, None for a void trial."""

T = TypeVar("T")
Steps = Generator[Block, Answers, T]
"""A part of a search: asks for blocks, takes their answers, and ends with a T."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """Why B's cost differs from A's, by a finished comparison. Sizes are log ratios of costs.

    `factors` are names of what differs: settings, or groups of them that are one mechanism.
    `server` is the factor that stands for the servers themselves, None if both arms have one build.
    `difference` has the comparison's interval. `delta` is the practical floor. `budget` is the most
    trials. `both_ways` adds two rows a setting to confirming blocks: what it costs alone on A, and
    what taking it from B saves. `dry` starts servers with all planned rows before any load. Raises
    ValueError for values out of range.
    """

    factors: tuple[str, ...]
    server: str | None = None
    difference: Estimate
    delta: float = ONE_PERCENT
    alpha: float = 0.05
    seed: int
    budget: int | None = None
    looks: tuple[int, ...] = LOOKS
    both_ways: bool = True
    dry: bool = True

    def __post_init__(self) -> None:
        if not self.factors or len(set(self.factors)) < len(self.factors):
            raise ValueError(f"factors have names of their own, got {self.factors}")
        if self.server is not None and self.server not in self.factors:
            raise ValueError(f"the server's factor {self.server!r} isn't among the factors")
        if not (math.isfinite(self.difference.value) and 0 <= self.delta < math.inf):
            raise ValueError(f"difference {self.difference.value} or delta {self.delta} is unknown")
        if not 0 < self.alpha < 1:
            raise ValueError(f"alpha must lie between 0 and 1, got {self.alpha}")

    @property
    def is_worth_asking(self) -> bool:
        """Whether there is a difference: its interval leaves out 0, and it is delta at least."""
        low, high = self.difference.bounds
        return (low > 0 or high < 0) and abs(self.difference.value) >= self.delta

    @property
    def worth(self) -> float:
        """The size from which on a share is looked for."""
        return max(self.delta, abs(self.difference.value) / WORTH_SHARE)

    @property
    def near(self) -> float:
        """The size below which a share is as good as nothing."""
        return max(self.delta, abs(self.difference.value) / NEAR_SHARE)
