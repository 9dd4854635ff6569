"""Draws a run's progress on stderr: a live display on a terminal, plain lines elsewhere.

It is redrawn when there is something new, once a second under load, and never by a clock of its
own: drawing takes CPU time from what is measured.
"""

from __future__ import annotations

import math
import time
from collections import deque
from types import TracebackType

from rich.console import Console, Group
from rich.live import Live
from rich.markup import escape
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from dyno.cli.chart import bars
from dyno.runner.progress import IntervalRead, TrialStep
from dyno.spec.units import format_duration

PLAIN_EVERY_S = 10.0
LIVE_EVERY_S = 0.25
CHARTED_S = 60
_CHART_LINES = 4


class Screen:
    """A watcher of the runner; a context manager, so that the terminal is left in order."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.live = (
            Live(console=console, auto_refresh=False, transient=True)
            if console.is_terminal
            else None
        )
        self._where = ""
        self._bar: tuple[float, float] = (0, 1)
        self._times = ""
        self._lines: list[str] = []
        self._drawn_s = -math.inf
        self._load = _Load()
        self._trial: tuple[int, int] | None = None
        self._loading: tuple[str, float, int] | None = None

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
        """A dataset grows. Some totals are estimates: none is less than what is there."""
        rows_total = max(rows_total, rows)
        now_s = time.monotonic()
        if self._loading is None or self._loading[0] != arm:
            self._loading = (arm, now_s, rows)
        _, begun_s, rows_before = self._loading
        self._bar = (rows, max(rows_total, 1))
        self._times = _rate_and_eta(rows - rows_before, rows_total - rows, now_s - begun_s)
        self._draw(f"loading {table} for {arm}: {rows:,} of {rows_total:,} rows")

    def trying(self, starts: int) -> None:
        """Servers are started with mixed settings; nobody knows how often it takes."""
        self._draw(f"trying whether servers start with mixed settings: start {starts:,}")

    def step(self, step: TrialStep) -> None:
        """Where the trial is."""
        if self._loading is not None:
            self._loading, self._times, self._bar = None, "", (0, 1)
        point = f"{step.point} · " if step.point else ""
        most = f" of at most {step.blocks}" if step.blocks else ""
        self._where = (
            f"block {step.block}{most} · "
            f"trial {step.position} of {step.positions}: {point}{step.arm} · {step.step}"
        )
        if self._trial != (step.block, step.position):
            self._trial, self._load = (step.block, step.position), _Load()
        if self.live:
            self._draw(self._where, at_once=True)

    def interval(self, read: IntervalRead) -> None:
        """A second of the load."""
        self._load.add(read, p95=self.live is not None or self._is_due())
        digits = 0 if read.end_s >= 1 else 1
        self._draw(f"{self._where} {read.end_s:.{digits}f} s")

    def trial_done(self, *, done: int, total: int, elapsed_s: float, eta_s: float | None) -> None:
        """A trial more."""
        self._bar = (done, total)
        eta = f" · at most {format_duration(eta_s)} to go" if eta_s is not None else ""
        self._times = f"{done} of at most {total} trials · {format_duration(elapsed_s)}{eta}"
        self._draw(self._where, at_once=self.live is not None)

    def block_done(self, lines: list[str]) -> None:
        """What each comparison says so far."""
        self._lines = lines
        if self.live:
            self._draw(self._where, at_once=True)

    def _is_due(self) -> bool:
        """Whether enough time has gone by since something was last shown."""
        every_s = LIVE_EVERY_S if self.live else PLAIN_EVERY_S
        return time.monotonic() - self._drawn_s >= every_s

    def _draw(self, headline: str, *, at_once: bool = False) -> None:
        if not at_once and not self._is_due():
            return
        self._drawn_s = time.monotonic()
        if self.live:
            self.live.update(self._picture(headline), refresh=True)
            return
        said = "  ".join(part for part in (headline, self._load.words(), self._times) if part)
        self.console.print(escape(said), soft_wrap=True)

    def _picture(self, headline: str) -> Group:
        bar = Table.grid(padding=(0, 1))
        bar.add_row(ProgressBar(total=self._bar[1], completed=self._bar[0], width=30), self._times)
        load = self._load.picture(self.console.width)
        shown = self._lines[: max(4, self.console.height - 6 - len(load))]
        lines = [Text(line, no_wrap=True) for line in [*load, *shown]]
        return Group(Text(headline, no_wrap=True), bar, *lines)


class _Load:
    """The last minute of a trial's load, and what went wrong in it so far."""

    def __init__(self) -> None:
        self.ops_per_s: deque[float | None] = deque(maxlen=CHARTED_S)
        self.p95_ms: deque[float | None] = deque(maxlen=CHARTED_S)
        self.failed = 0
        self.retries = 0
        self.backlog: int | None = None

    def add(self, read: IntervalRead, *, p95: bool) -> None:
        """A second more; `p95`: whether that percentile is worth its cost."""
        if read.is_long:
            self.ops_per_s.append(read.ops_per_s)
            self.p95_ms.append(read.p95_ms if p95 else None)
        self.failed += read.failed
        self.retries += read.event.retries
        self.backlog = read.event.backlog

    def words(self) -> str:
        """The last second in words; "" before there is one."""
        if not self.ops_per_s:
            return ""
        ops, p95 = self.ops_per_s[-1], self.p95_ms[-1]
        parts = [f"{ops:,.0f} ops/s", "p95 —" if p95 is None else f"p95 {_ms(p95)}"]
        parts += [f"{self.failed:,} failed"] if self.failed else []
        parts += [f"{self.retries:,} retries"] if self.retries else []
        parts += [f"backlog {self.backlog:,}"] if self.backlog else []
        return ", ".join(parts)

    def picture(self, width: int) -> list[str]:
        """Both charts below the words, as lines; none before there is something to show."""
        if not self.ops_per_s:
            return []
        columns = min(CHARTED_S, max(10, width - 16))
        charts = [
            bars(list(values), width=columns, height=_CHART_LINES, label=label)
            for values, label in ((self.ops_per_s, _per_s), (self.p95_ms, _ms))
        ]
        margin = max(chart[0].index("│") for chart in charts)
        lines = [self.words()]
        for chart in charts:
            lines += ["", *(" " * (margin - line.index("│")) + line for line in chart)]
        return [*lines, ""]


def _per_s(value: float) -> str:
    return f"{value:,.0f} ops/s"


def _ms(value: float) -> str:
    return f"{value:.1f} ms" if value < 100 else f"{value:,.0f} ms"


def _rate_and_eta(rows: int, rows_left: int, elapsed_s: float) -> str:
    """As in "12,000 rows/s · 3 min to go"; "" before a rate is known, no time once it's over."""
    if rows <= 0 or elapsed_s <= 0:
        return ""
    per_s = rows / elapsed_s
    eta = f" · {format_duration(rows_left / per_s)} to go" if rows_left > 0 else ""
    return f"{per_s:,.0f} rows/s{eta}"
