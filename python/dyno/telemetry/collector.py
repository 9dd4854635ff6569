"""What a collector is, and the arithmetic they share: columns, sources and rates.

It reads nothing by itself and knows no clock: the collectors do the reading, and `sampler` decides
when.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

# Kernel ticks are 10 ms: over a shorter window one tick more or less is over 10 % of a core.
RATE_WINDOW_MIN_S = 0.1

Direction = Literal["lower", "higher", "neither"]


@dataclass(frozen=True)
class Column:
    """One metric of a series. Its name begins with its collector's and ends with its unit.

    `direction` says which way is better for the one who measures; `neither` if that depends.
    A `rate` is the difference of a counter between two samples over the true elapsed time, so it
    is missing in the first sample; anything else is the value at the time of the sample.
    """

    name: str
    unit: str
    meaning: str
    direction: Direction = "neither"
    rate: bool = False

    @property
    def collector(self) -> str:
        """The name of the collector that fills it."""
        return self.name.partition("_")[0]


class Collector(Protocol):
    """Gathers some columns at one instant.

    `sample` returns a value for each column name, or None. `unavailable` then holds the reason by
    column name, for the last sample only; a rate without an earlier sample needs no reason. The
    sampler catches and records any errors raised.
    """

    @property
    def name(self) -> str:
        """The prefix of all its column names."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """What it fills, in order."""

    @property
    def unavailable(self) -> Mapping[str, str]:
        """Why a column had no value in the last sample."""

    def sample(self) -> dict[str, float | None]:
        """Read everything once."""


@dataclass(frozen=True)
class Source:
    """Columns that are read together, and so go missing together.

    `read` is given a folder (/proc, or that of a process) and returns levels and counters by
    column name, already in the column's unit (for a rate: the unit without "per second"). It
    raises OSError, ValueError or LookupError if the kernel doesn't offer them.
    """

    read: Callable[[Path], Mapping[str, float]]
    columns: tuple[Column, ...]


def rate_per_s(before: float, after: float, *, elapsed_s: float) -> float | None:
    """(after - before) / elapsed_s; None for a counter that ran backwards or without a window."""
    if elapsed_s <= 0 or after < before:
        return None
    return (after - before) / elapsed_s


@dataclass
class Rates:
    """Remembers each counter's last reading and turns the next one into a rate per second."""

    _last: dict[str, tuple[float, float]] = field(default_factory=dict)

    def update(
        self, counters: Mapping[str, float], *, at_s: float
    ) -> tuple[dict[str, float | None], dict[str, str]]:
        """Rates by name, and the reason if a known counter gave none.

        A counter that isn't given is forgotten. Within `RATE_WINDOW_MIN_S` of the last reading
        there is no rate, and that reading stays the start of the next window: nothing is lost.
        """
        rates: dict[str, float | None] = {}
        reasons: dict[str, str] = {}
        last: dict[str, tuple[float, float]] = {}
        for name, value in counters.items():
            rates[name] = None
            before, before_s = self._last.get(name, (value, at_s))
            last[name] = (value, at_s)
            if name not in self._last:
                continue
            if at_s - before_s < RATE_WINDOW_MIN_S:
                last[name] = (before, before_s)
                reasons[name] = f"less than {RATE_WINDOW_MIN_S} s after the sample before"
                continue
            rates[name] = rate_per_s(before, value, elapsed_s=at_s - before_s)
            if rates[name] is None:
                reasons[name] = f"the counter ran backwards, from {before:g} to {value:g}"
        self._last = last
        return rates, reasons

    def forget(self) -> None:
        """Drop every reading: what was counted is gone."""
        self._last = {}


def gather(
    sources: tuple[Source, ...], folder: Path, *, rates: Rates, at_s: float
) -> tuple[dict[str, float | None], dict[str, str]]:
    """Read all sources once: values by column name, and reasons for the missing ones."""
    values: dict[str, float | None] = {}
    counters: dict[str, float] = {}
    reasons: dict[str, str] = {}
    for source in sources:
        try:
            read = source.read(folder)
        except (OSError, ValueError, LookupError) as error:
            read = {}
            reasons |= {column.name: reason(error) for column in source.columns}
        for column in source.columns:
            values[column.name] = None
            if column.name in read:
                (counters if column.rate else values)[column.name] = read[column.name]
    per_s, rate_reasons = rates.update(counters, at_s=at_s)
    return values | per_s, reasons | rate_reasons


def reason(error: Exception) -> str:
    """An error on one line for the reader of a run folder: what failed and where."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return f"{type(error).__name__}: {error}"
