"""The sampler: asks collectors at fixed instants in a background thread, around a trial.

It never raises into the trial and never delays it: what goes wrong is in the series. It reads
only this process's side of the host; the server's own counters come with the load's events.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Sequence
from typing import Protocol

from dyno.telemetry.collector import RATE_WINDOW_MIN_S, Collector, reason
from dyno.telemetry.heartbeat import Heartbeat
from dyno.telemetry.series import Sample, Series, overhead_of

INTERVAL_MIN_S = 2 * RATE_WINDOW_MIN_S
_PATIENCE_S = 5.0


class Clock(Protocol):
    """What the sampler needs from a clock; tests script it."""

    def monotonic_s(self) -> float:
        """Seconds on a clock that never steps."""

    def unix_ms(self) -> int:
        """Wall clock, milliseconds since 1970."""

    def wait(self, stop: threading.Event, *, timeout_s: float) -> bool:
        """Sleep for `timeout_s`, or until `stop` is set: then True."""


class SystemClock:
    """The machine's clocks."""

    def monotonic_s(self) -> float:
        """CLOCK_MONOTONIC."""
        return time.monotonic()

    def unix_ms(self) -> int:
        """CLOCK_REALTIME."""
        return time.time_ns() // 1_000_000

    def wait(self, stop: threading.Event, *, timeout_s: float) -> bool:
        """Wait on the event."""
        return stop.wait(timeout_s)


def next_index(index: int, *, since_start_s: float, interval_s: float) -> int:
    """The next instant after `index` that isn't past yet. Instant i is always i * interval_s."""
    return max(index + 1, math.ceil(since_start_s / interval_s))


class Sampler:
    """One use: `start()`, the trial, `stop()`.

    Samples at start, at every instant start + i * `interval_s` (seconds, at least 0.2) and at
    stop. `origin_s` is the zero of the column t_s on the monotonic clock (time.monotonic(); by
    default the start). ValueError for a shorter interval or a column named by two collectors.
    """

    def __init__(
        self,
        collectors: Sequence[Collector],
        *,
        interval_s: float = 1.0,
        origin_s: float | None = None,
        clock: Clock | None = None,
    ) -> None:
        if not interval_s >= INTERVAL_MIN_S:
            raise ValueError(f"interval_s is {interval_s}, needs at least {INTERVAL_MIN_S}")
        self._heartbeat = Heartbeat()
        self._collectors: tuple[Collector, ...] = (*collectors, self._heartbeat)
        self._columns = tuple(c for collector in self._collectors for c in collector.columns)
        names = [column.name for column in self._columns]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"more than one collector has the column {twice[0]}")
        self._interval_s = interval_s
        self._origin_s = origin_s
        self._clock: Clock = clock or SystemClock()
        self._stop = threading.Event()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="dyno-sampler", daemon=True)
        self._samples: list[Sample] = []
        self._unavailable: dict[str, str] = {}
        self._missed = 0
        self._cpu_s: float | None = None
        self._elapsed_s: float | None = None
        self._series: Series | None = None

    def start(self) -> None:
        """Begin, and return once the first sample is taken (or after 5 s at the latest)."""
        try:
            self._thread.start()
        except RuntimeError as error:
            if self._thread.ident is not None:
                raise  # Started twice: a mistake of the caller.
            self._give_up(reason(error))
            return
        self._ready.wait(_PATIENCE_S)

    def stop(self) -> Series:
        """End with a last sample and return all; a second call returns the same."""
        if self._series is None:
            self._stop.set()
            if self._thread.ident is not None:
                self._thread.join(_PATIENCE_S)
                if self._thread.is_alive():
                    self._give_up(f"a collector was still reading {_PATIENCE_S:g} s after the end")
            samples = list(self._samples)
            self._series = Series(
                samples=samples,
                columns=self._columns,
                unavailable=dict(self._unavailable),
                overhead=overhead_of(
                    samples, missed=self._missed, cpu_s=self._cpu_s, elapsed_s=self._elapsed_s
                ),
            )
        return self._series

    def _give_up(self, cause: str) -> None:
        for column in self._columns:
            self._unavailable.setdefault(column.name, cause)

    def _run(self) -> None:
        cpu_start_s = time.thread_time()
        start_s = self._clock.monotonic_s()
        if self._origin_s is None:
            self._origin_s = start_s
        try:
            self._take(self._origin_s)
        finally:
            self._ready.set()
        self._tick(start_s, self._origin_s)
        self._heartbeat.clear()
        self._take(self._origin_s)
        self._elapsed_s = self._clock.monotonic_s() - start_s
        self._cpu_s = time.thread_time() - cpu_start_s

    def _tick(self, start_s: float, origin_s: float) -> None:
        index = 0
        while True:
            now_s = self._clock.monotonic_s()
            before = index
            index = next_index(index, since_start_s=now_s - start_s, interval_s=self._interval_s)
            due_s = start_s + index * self._interval_s
            if self._clock.wait(self._stop, timeout_s=max(0.0, due_s - now_s)):
                return
            missed = index - before - 1
            self._missed += missed
            self._heartbeat.beat(late_s=self._clock.monotonic_s() - due_s, missed=missed)
            self._take(origin_s)

    def _take(self, origin_s: float) -> None:
        begin_s = self._clock.monotonic_s()
        unix_ms = self._clock.unix_ms()
        values: dict[str, float | None] = {}
        for collector in self._collectors:
            values |= self._ask(collector)
        elapsed_ms = (self._clock.monotonic_s() - begin_s) * 1000
        self._samples.append(Sample(begin_s - origin_s, unix_ms, values, elapsed_ms))

    def _ask(self, collector: Collector) -> dict[str, float | None]:
        """One collector's values: whatever it does, the trial goes on."""
        try:
            values = collector.sample()
            reasons = dict(collector.unavailable)
            values = {name: _finite(value) for name, value in values.items()}
        except Exception as error:
            values = {}
            reasons = {column.name: reason(error) for column in collector.columns}
        for name, cause in reasons.items():
            self._unavailable.setdefault(name, cause)
        return values


def _finite(value: float | None) -> float | None:
    """A value that Parquet's readers can add up: NaN counts as missing."""
    return float(value) if value is not None and math.isfinite(value) else None
