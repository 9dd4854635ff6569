"""What the runner reports to a watcher. Not output: the command line draws it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

from hdrh.histogram import HdrHistogram

from dyno.spec.events import Event, Interval, PhaseMark, StatementRun
from dyno.spec.load_plan import INTERVAL_S

_DOING = {"connect": "connecting", "warmup": "warming up", "measure": "measuring"}


@dataclass(frozen=True)
class TrialStep:
    """Where the run is: block and position count from 1; `point` is "" if there is only one.
    `blocks` is None for a search, whose plan grows.
    """

    block: int
    blocks: int | None
    position: int
    positions: int
    arm: str
    step: str
    point: str = ""


@dataclass(frozen=True)
class IntervalRead:
    """An interval of a load while it runs, for display only: figures come from what is stored."""

    event: Interval

    @property
    def phase(self) -> str:
        """The phase that it is a slice of."""
        return self.event.phase

    @property
    def end_s(self) -> float:
        """When it ended, in seconds from the phase's begin. A load with shorter intervals has one
        that counts, so only what drains after it would come out late.
        """
        return self.event.index * INTERVAL_S + self.event.duration_s

    @property
    def is_long(self) -> bool:
        """Whether it is long enough for a rate: a phase's last one may only drain a few ops."""
        return self.event.duration_s >= INTERVAL_S / 2

    @property
    def ops_per_s(self) -> float:
        """Ok ops that ended in it, per second."""
        return self._count("ok") / self.event.duration_s if self.event.duration_s > 0 else 0.0

    @property
    def failed(self) -> int:
        """Ops that failed in it."""
        return self._count("failed")

    @cached_property
    def p95_ms(self) -> float | None:
        """The 95th percentile of the ok ops' latency; None if none ended.

        Decoding takes some milliseconds, so it is only done when the value is requested.
        """
        merged: HdrHistogram | None = None
        for histogram in self._histograms():
            if merged is None:
                merged = histogram
            else:
                merged.add(histogram)
        return None if merged is None else merged.get_value_at_percentile(95) / 1e6

    def _histograms(self) -> Iterator[HdrHistogram]:
        for op in self.event.ops:
            if op.outcome == "ok" and op.count:
                yield HdrHistogram.decode(op.histogram)

    def _count(self, outcome: str) -> int:
        return sum(op.count for op in self.event.ops if op.outcome == outcome)


class Progress(Protocol):
    """A watcher. Methods return at once and never raise."""

    def note(self, text: str) -> None:
        """Something worth its own line: an install, a load, a failed trial."""

    def loading(self, arm: str, table: str, rows: int, rows_total: int) -> None:
        """A dataset grows: `table` is being filled; rows are those of all tables together."""

    def step(self, step: TrialStep) -> None:
        """A trial moves on to its next step, or its next statement."""

    def interval(self, read: IntervalRead) -> None:
        """An interval of the trial's load ended."""

    def trial_done(self, *, done: int, total: int, elapsed_s: float, eta_s: float | None) -> None:
        """A trial is on disk. `total` is that of the last look; the run may end earlier."""

    def block_done(self, lines: list[str]) -> None:
        """What the judge says about each comparison so far, one line each."""


class Silent:
    """A watcher that does nothing."""

    def note(self, text: str) -> None:
        """Nothing."""

    def loading(self, arm: str, table: str, rows: int, rows_total: int) -> None:
        """Nothing."""

    def step(self, step: TrialStep) -> None:
        """Nothing."""

    def interval(self, read: IntervalRead) -> None:
        """Nothing."""

    def trial_done(self, *, done: int, total: int, elapsed_s: float, eta_s: float | None) -> None:
        """Nothing."""

    def block_done(self, lines: list[str]) -> None:
        """Nothing."""


@dataclass(frozen=True)
class TrialWatch:
    """The watcher of one trial: it knows where in the run the trial is."""

    progress: Progress
    where: TrialStep

    def say(self, step: str) -> None:
        """The trial moves on to a step."""
        self.progress.step(replace(self.where, step=step))

    def hear(self, event: Event) -> None:
        """Pass on the progress that an event of the load shows."""
        match event:
            case StatementRun():
                self.say(event.statement)
            case PhaseMark() if event.state == "begin":
                self.say(_DOING.get(event.phase, event.phase))
            case Interval():
                self.progress.interval(IntervalRead(event))
