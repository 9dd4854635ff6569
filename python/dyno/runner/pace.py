"""How fast a run progresses: what is left of its budget, and how long it will take at most. Pure
except for the clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median


class Pace:
    """Learns from finished blocks how long a trial takes, including starts and stops.

    `budget_s` counts time spent measuring, `before_s` of it in earlier executions of the run.
    """

    def __init__(
        self,
        *,
        budget_s: float,
        before_s: float = 0.0,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._budget_s = budget_s
        self._before_s = before_s
        self._clock_s = clock_s
        self._trial_s: list[float] = []
        self._in_block = 0
        self._begun_s = self._block_begun_s = clock_s()

    def begin(self) -> None:
        """What came before was preparation: measuring begins now."""
        self._begun_s = self._clock_s()

    def begin_block(self) -> None:
        """A block begins."""
        self._block_begun_s = self._clock_s()
        self._in_block = 0

    def trial_done(self) -> None:
        """A trial of the block is on disk."""
        self._in_block += 1

    def end_block(self) -> None:
        """The block ends; its servers are stopped."""
        if self._in_block:
            self._trial_s.append((self._clock_s() - self._block_begun_s) / self._in_block)

    def elapsed_s(self) -> float:
        """Time spent measuring, over all executions of the run."""
        return self._before_s + self._clock_s() - self._begun_s

    def fits(self, trials: int) -> bool:
        """Whether a block of n trials will end within the budget, as far as is known."""
        trial_s = median(self._trial_s) if self._trial_s else 0.0
        return self.elapsed_s() + trials * trial_s <= self._budget_s

    def eta_s(self, trials_left: int) -> float | None:
        """How long the run takes at most from now on; None as long as nothing is known.

        No block begins that won't end within the budget, but the current one is finished.
        """
        if self._trial_s:
            trial_s = median(self._trial_s)
        elif self._in_block:
            trial_s = (self._clock_s() - self._block_begun_s) / self._in_block
        else:
            return None
        return min(trials_left * trial_s, max(0.0, self._budget_s - self.elapsed_s()))
