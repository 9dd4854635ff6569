"""Starts of servers that only show which settings go together, before anything is measured."""

from __future__ import annotations

import time

from dyno.cli.progress import Screen
from dyno.errors import SpecError
from dyno.runner.tries import starts
from dyno.spec.experiment import Arm
from dyno.spec.units import format_duration, plural


class DryStarts:
    """Starts an arm's server and stops it; counts, times and shows the starts, and takes no longer
    than `budget_s`.
    """

    def __init__(self, screen: Screen, *, budget_s: float) -> None:
        self._screen = screen
        self._budget_s = budget_s
        self._begun_s = time.monotonic()
        self.count = 0

    @property
    def elapsed_s(self) -> float:
        """Since the first one could begin."""
        return time.monotonic() - self._begun_s

    def __call__(self, arm: Arm) -> bool:
        """Whether the arm's server starts. Raises SpecError once the budget is spent."""
        if self.elapsed_s > self._budget_s:
            raise SpecError(
                f"{plural(self.count, 'start')} of servers with mixed settings took all of the "
                f"budget, {format_duration(self._budget_s)}; nothing was measured",
                hint="give a longer --budget; --check says how long these starts take",
            )
        self.count += 1
        self._screen.trying(self.count)
        return starts(arm, note=self._screen.note)
