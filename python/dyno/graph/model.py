"""What was read from load tools' output, in the field's terms. None: the file doesn't hold it.

Nothing here is computed from more than one run: statements about several are left to the charts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

Unit = Literal["transactions", "queries", "requests", "events", "ops"]


@dataclass(frozen=True)
class Figure:
    """A figure of one run, and the ends of its repetitions within that run, if any."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Latency:
    """Latencies in milliseconds; `quantiles` are (0.95, ms) in ascending order."""

    min_ms: float | None = None
    mean_ms: float | None = None
    stddev_ms: float | None = None
    max_ms: float | None = None
    quantiles: tuple[tuple[float, float], ...] = ()

    def at(self, quantile: float) -> float | None:
        """The latency at a quantile, if the file has it."""
        return dict(self.quantiles).get(quantile)


@dataclass(frozen=True)
class Interval:
    """A slice of a run; `end_s` counts from the run's beginning.

    `queue` and `busy` are ops waiting and ops in progress at its end, in an open load.
    """

    end_s: float
    throughput_per_s: float | None
    latency: Latency = Latency()
    queue: int | None = None
    busy: int | None = None


@dataclass(frozen=True)
class Checkpoint:
    """A stretch of a run with a report of its own (a checkpoint), up to `end_s`."""

    end_s: float
    throughput_per_s: float | None
    latency: Latency


@dataclass(frozen=True)
class Run:
    """One run of a load tool: one arm at one number of connections, from line `line` on.

    `arm` is what the file itself distinguishes, such as the engine; "" if nothing. `seconds` is
    the time for a fixed number of ops. `rate_per_s` is the offered rate of an open load.
    """

    line: int
    unit: Unit
    arm: str = ""
    connections: int | None = None
    rate_per_s: float | None = None
    throughput_per_s: Figure | None = None
    seconds: Figure | None = None
    latency: Latency = Latency()
    intervals: tuple[Interval, ...] = ()
    checkpoints: tuple[Checkpoint, ...] = ()


@dataclass(frozen=True)
class Found:
    """What a reader found in a text: runs, foreign lines, and notes."""

    runs: tuple[Run, ...]
    other_lines: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reading:
    """A file that was read. `given`: the label is the user's own."""

    label: str
    given: bool
    file: str
    format: str
    found: Found


@dataclass(frozen=True)
class Graph:
    """All files of one page, and each run with the name of its arm in legends."""

    readings: tuple[Reading, ...]
    named: tuple[tuple[str, Run], ...]
    arms: list[str] = field(default_factory=list)

    @property
    def runs(self) -> list[Run]:
        """All runs in the order of the files."""
        return [run for _, run in self.named]


def over_rate(runs: Sequence[Run]) -> bool:
    """Whether the offered rate was swept: several rates at one number of connections."""
    rates = {run.rate_per_s for run in runs}
    connections = {run.connections for run in runs}
    return None not in rates and len(rates) > 1 and len(connections) == 1
