"""What the runner tells whoever watches. Not output: the command line draws it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class TrialStep:
    """Where the run is: block and position count from 1."""

    block: int
    blocks: int
    position: int
    arms: int
    arm: str
    step: str


class Progress(Protocol):
    """A watcher. Methods return at once and never raise."""

    def note(self, text: str) -> None:
        """Something worth a line of its own: an install, a load, a failed trial."""

    def loading(self, arm: str, table: str, rows: int, rows_total: int) -> None:
        """A dataset grows."""

    def step(self, step: TrialStep) -> None:
        """A trial goes on to its next step, or its next statement."""

    def trial_done(self, *, done: int, total: int, elapsed_s: float, eta_s: float | None) -> None:
        """A trial is on disk. `total` is that of the last look; the run may end earlier."""

    def block_done(self, lines: list[str]) -> None:
        """What the judge says of each comparison so far, a line each."""


class Silent:
    """A watcher that looks away."""

    def note(self, text: str) -> None:
        """Nothing."""

    def loading(self, arm: str, table: str, rows: int, rows_total: int) -> None:
        """Nothing."""

    def step(self, step: TrialStep) -> None:
        """Nothing."""

    def trial_done(self, *, done: int, total: int, elapsed_s: float, eta_s: float | None) -> None:
        """Nothing."""

    def block_done(self, lines: list[str]) -> None:
        """Nothing."""
