"""Runs dynoload on a load plan and files its events. It generates no load itself."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from dyno.cpus import CpuSet
from dyno.hosts import Generator, LoadResult, events_in, result_of
from dyno.runner.room import require_room
from dyno.spec.events import Event, EventLog
from dyno.spec.load_plan import LoadPlan

# How often the disk is checked.
LOOK_S = 0.25


class Enough:
    """Stops a running load early, from any thread: see `until` of the load plan."""

    def __init__(self) -> None:
        self.load: Generator | None = None

    def say(self) -> None:
        """End the current phase as if its time were over; does nothing if no load runs."""
        if self.load is not None:
            self.load.enough()


def run_load(
    plan: LoadPlan,
    folder: Path,
    *,
    password: str | None = None,
    on_event: Callable[[Event], None] | None = None,
    disk: Path | None = None,
    enough: Enough | None = None,
    cpus: CpuSet | None = None,
) -> LoadResult:
    """Run one load plan to its end; `folder` keeps load.json. `enough` can end it early; `cpus`:
    where it runs.

    If the disk of `disk` gets full, it ends with StoreError: a server without space may wait
    forever, and dynoload for the server. An exception (Ctrl-C) ends dynoload first. Raises
    LoadError if dynoload is missing, refuses the plan, or is a debug build, whose figures would be
    its own.
    """
    generator = Generator(plan, folder, password=password, cpus=cpus)
    if enough is not None:
        enough.load = generator
    try:
        log = _file_events(generator, on_event, disk)
        exit_code, words = generator.ended()
    except BaseException:
        generator.end()
        raise
    return result_of(exit_code, words, log)


def _file_events(
    generator: Generator, on_event: Callable[[Event], None] | None, disk: Path | None
) -> EventLog:
    log, looked_s = EventLog(), 0.0
    while (lines := generator.hear(LOOK_S)) is not None:
        if time.monotonic() - looked_s >= LOOK_S:
            require_room(disk)
            looked_s = time.monotonic()
        for event in events_in(lines):
            log.add(event)
            if on_event is not None:
                on_event(event)
    return log
