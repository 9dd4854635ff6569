"""Runs a load plan, here or on other hosts, and files its events. It generates no load itself."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from dyno.cpus import CpuSet
from dyno.hosts.elsewhere import Elsewhere
from dyno.hosts.generator import Generator, WrittenPlan
from dyno.hosts.group import Group
from dyno.hosts.result import LoadResult, events_in, result_of
from dyno.runner.room import require_room
from dyno.spec.events import Event, EventLog
from dyno.spec.load_plan import LoadPlan

# How often the disk is checked.
LOOK_S = 0.25


class Enough:
    """Stops a running load early, from any thread: see `until` of the load plan."""

    def __init__(self) -> None:
        self.load: Generator | Group | None = None

    def say(self) -> None:
        """End the current phase as if its time were over; does nothing if no load runs."""
        if self.load is not None:
            self.load.enough()

    @property
    def pid(self) -> int | None:
        """The process that makes the load; None if none does on this host."""
        return self.load.pid if isinstance(self.load, Generator) else None


def run_load(
    plan: LoadPlan,
    folder: Path,
    *,
    password: str | None = None,
    on_event: Callable[[Event], None] | None = None,
    disk: Path | None = None,
    enough: Enough | None = None,
    cpus: CpuSet | None = None,
    elsewhere: Elsewhere | None = None,
) -> LoadResult:
    """Run one load plan to its end; `folder` keeps load.json. `enough` can end it early; `cpus`:
    where it runs on this host; `elsewhere`: the hosts that make the load instead.

    If the disk of `disk` gets full, it ends with StoreError: a server without space may wait
    forever, and dynoload for the server. An exception (Ctrl-C) ends dynoload first. Raises
    LoadError if dynoload is missing, refuses the plan, or is a debug build, whose figures would be
    its own.
    """
    enough = enough or Enough()
    watch = _Watch(disk)
    hear = on_event or (lambda _: None)
    if elsewhere is not None:
        WrittenPlan.of(plan).write(folder)
        enough.load = group = elsewhere.group(plan)
        return group.run(password=password, on_event=hear, look=watch.look)
    enough.load = generator = Generator(WrittenPlan.of(plan), folder, password=password, cpus=cpus)
    try:
        log = _file_events(generator, hear, watch)
        exit_code, words = generator.ended()
    except BaseException:
        generator.end()
        raise
    return result_of(exit_code, words, log)


class _Watch:
    """Looks at the disk now and then."""

    def __init__(self, disk: Path | None) -> None:
        self._disk = disk
        self._looked_s = 0.0

    def look(self) -> None:
        """Raise StoreError if it is nearly full."""
        if time.monotonic() - self._looked_s >= LOOK_S:
            require_room(self._disk)
            self._looked_s = time.monotonic()


def _file_events(generator: Generator, hear: Callable[[Event], None], watch: _Watch) -> EventLog:
    log = EventLog()
    while (lines := generator.hear(LOOK_S)) is not None:
        watch.look()
        for event in events_in(lines):
            log.add(event)
            hear(event)
    return log
