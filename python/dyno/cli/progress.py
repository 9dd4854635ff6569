"""Draws a run's progress on stderr: a live display on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console, Group
from rich.live import Live
from rich.markup import escape
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from dyno.runner.progress import TrialStep
from dyno.spec.units import format_duration

PLAIN_EVERY_S = 10.0


class Screen:
    """A watcher of the runner; a context manager, so that the terminal is left in order."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.live = (
            Live(console=console, refresh_per_second=4, transient=True)
            if console.is_terminal
            else None
        )
        self._where = ""
        self._bar: tuple[float, float] = (0, 1)
        self._times = ""
        self._lines: list[str] = []
        self._printed_s = 0.0

    def __enter__(self) -> Screen:
        if self.live:
            self.live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.live:
            self.live.stop()

    def note(self, text: str) -> None:
        """A line of its own."""
        self.console.print(escape(text), soft_wrap=True)

    def loading(self, arm: str, table: str, rows: int, rows_total: int) -> None:
        """A dataset grows."""
        self._bar = (rows, max(rows_total, 1))
        self._draw(f"loading {table} for {arm}: {rows:,} of {rows_total:,} rows")

    def step(self, step: TrialStep) -> None:
        """Where the trial is."""
        self._where = (
            f"block {step.block} of at most {step.blocks} · "
            f"arm {step.position} of {step.arms}: {step.arm} · {step.step}"
        )
        if self.live:
            self._draw(self._where)

    def trial_done(self, *, done: int, total: int, elapsed_s: float, eta_s: float | None) -> None:
        """A trial more."""
        self._bar = (done, total)
        eta = f" · at most {format_duration(eta_s)} to go" if eta_s is not None else ""
        self._times = f"{done} of at most {total} trials · {format_duration(elapsed_s)}{eta}"
        self._draw(self._where)

    def block_done(self, lines: list[str]) -> None:
        """What each comparison says so far."""
        self._lines = lines
        if self.live:
            self._draw(self._where)

    def _draw(self, headline: str) -> None:
        if self.live:
            bar = Table.grid(padding=(0, 1))
            bar.add_row(
                ProgressBar(total=self._bar[1], completed=self._bar[0], width=30), self._times
            )
            shown = self._lines[: max(4, self.console.height - 6)]
            self.live.update(
                Group(Text(headline, no_wrap=True), bar, *(Text(s, no_wrap=True) for s in shown))
            )
        elif time.monotonic() - self._printed_s > PLAIN_EVERY_S:
            self._printed_s = time.monotonic()
            self.console.print(escape(f"{headline}  {self._times}"), soft_wrap=True)
