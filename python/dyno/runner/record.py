"""What a trial has gathered so far, however it ends. It does nothing by itself."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from dyno.hosts.result import LoadResult
from dyno.spec.data_check import DataCheck
from dyno.store.placement import Placed
from dyno.store.stacks import Stack
from dyno.store.storage import Loading, Storage
from dyno.store.trial import (
    PhaseCost,
    ProfileLine,
    ProfilerCost,
    Program,
    ServerCost,
    TableSize,
    TaskRun,
    WaitsOfThreads,
)
from dyno.telemetry import Series


@contextmanager
def timed(steps: dict[str, float], name: str) -> Iterator[None]:
    """Note how long a step took, in seconds, even if it fails."""
    begin = time.monotonic()
    try:
        yield
    finally:
        steps[name] = round(time.monotonic() - begin, 4)


@dataclass
class Record:
    """One trial in the making. `missing`: what couldn't be observed, and why."""

    started_unix_ms: int
    started_s: float
    steps: dict[str, float] = field(default_factory=dict)
    load: LoadResult | None = None
    series: Series | None = None
    cost: ServerCost = field(default_factory=ServerCost)
    phases: dict[str, PhaseCost] = field(default_factory=dict)
    profile: list[ProfileLine] = field(default_factory=list)
    profile_unavailable: str | None = None
    profiler: ProfilerCost | None = None
    stacks: Counter[Stack] | None = None
    waits: WaitsOfThreads | None = None
    waits_unavailable: str | None = None
    sizes: list[TableSize] = field(default_factory=list)
    data_checks: list[DataCheck] = field(default_factory=list)
    sizes_before: list[TableSize] = field(default_factory=list)
    tasks: list[TaskRun] = field(default_factory=list)
    placement: Placed | None = None
    program: Program | None = None
    storage: Storage | None = None
    loading: Loading | None = None
    missing: dict[str, str] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    failure: str | None = None

    @classmethod
    def begin(cls) -> Record:
        """A trial that starts now."""
        return cls(started_unix_ms=time.time_ns() // 1_000_000, started_s=time.monotonic())
