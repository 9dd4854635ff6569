"""Starts dynoload on a load plan and files its events. It generates no load itself."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from dyno.cpus import CpuSet
from dyno.errors import LoadError
from dyno.passwords import handed_down
from dyno.program import find_dynoload
from dyno.runner.room import require_room
from dyno.servers import launch
from dyno.spec.events import Event, EventLog, Hello, parse_event
from dyno.spec.load_plan import LoadPlan
from dyno.store.files import storing

STOP_TIMEOUT_S = 15.0
# How often the disk is checked.
LOOK_S = 0.25
PIPE_BYTES = 1 << 20
_WRONG_PLAN = 2
_REFUSED = 3


class Enough:
    """Stops a running load early, from any thread: see `until` of the load plan."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None

    def say(self) -> None:
        """End the current phase as if its time were over; does nothing if no load runs."""
        if self.process is not None:
            self.process.send_signal(signal.SIGUSR1)


@dataclass(frozen=True)
class LoadResult:
    """How dynoload ended, and all its output."""

    exit_code: int
    log: EventLog
    stderr: str

    @property
    def failure(self) -> str | None:
        """Why the load is not whole, in one line; None if it is."""
        if self.exit_code == 0 and self.log.summary is not None and self.log.summary.complete:
            return None
        fatal = [fault.message for fault in self.log.faults if fault.fatal]
        if fatal:
            return fatal[-1]
        words = self.stderr.strip().splitlines()
        return words[0] if words else f"dynoload ended with exit code {self.exit_code}"

    @property
    def refused(self) -> bool:
        """Whether the server refused something that the load needs: it was not lost."""
        return self.exit_code == _REFUSED


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
    forever, and dynoload for the server. The password is handed down if the plan needs one; when
    dynoload is run by hand it comes from the environment variable that the plan names. An exception
    (Ctrl-C) ends dynoload first. Raises LoadError if dynoload is missing, refuses the plan, or is a
    debug build, whose figures would be its own.
    """
    plan_file = folder.absolute() / "load.json"
    with storing(plan_file):
        plan_file.write_text(plan.to_json() + "\n", encoding="utf-8")
    words = folder / "dynoload.err"
    with words.open("wb") as stderr, handed_down((password or "").encode()) as secret:
        # The same user can read environments as well as arguments.
        by_hand = ["--password-fd", str(secret)] if plan.target.password_env else []
        process = launch(
            [str(find_dynoload()), "run", *by_hand, str(plan_file)],
            env={"PATH": os.defpath, "LC_ALL": "C"},
            stdout=subprocess.PIPE,
            stderr=stderr,
            pass_fds=[secret],
            cpus=cpus,
        )
        if enough is not None:
            enough.process = process
        try:
            log = _file_events(process, on_event, disk)
            exit_code = process.wait()
            assert process.stdout is not None
            process.stdout.close()
        except BaseException:
            _end(process)
            raise
    result = LoadResult(exit_code, log, words.read_text(errors="replace"))
    if not result.stderr:
        words.unlink()
    if exit_code == _WRONG_PLAN:
        raise LoadError(
            f"dynoload refused its plan: {result.stderr.strip() or result.failure}",
            hint="if dyno and dynoload come from different versions, install them together",
        )
    return result


def _file_events(
    process: subprocess.Popen[bytes],
    on_event: Callable[[Event], None] | None,
    disk: Path | None,
) -> EventLog:
    log = EventLog()
    for line in _lines(process, disk):
        event = parse_event(line.decode("utf-8", errors="replace"))
        if isinstance(event, Hello) and event.build != "release":
            raise LoadError(
                "this dynoload is a debug build, whose own cost would be measured",
                hint="build it with cargo build --release, or run make dev",
            )
        log.add(event)
        if on_event is not None:
            on_event(event)
    return log


def _lines(process: subprocess.Popen[bytes], disk: Path | None) -> Iterator[bytes]:
    """The program's output, line by line; the disk is checked meanwhile."""
    assert process.stdout is not None
    pending, looked_s = b"", 0.0
    there = select.poll()
    there.register(process.stdout, select.POLLIN)
    while True:
        if time.monotonic() - looked_s >= LOOK_S:
            require_room(disk)
            looked_s = time.monotonic()
        if not there.poll(LOOK_S * 1000):
            continue
        said = os.read(process.stdout.fileno(), PIPE_BYTES)
        if not said:
            break
        *lines, pending = (pending + said).split(b"\n")
        yield from filter(bytes.strip, lines)
    if pending.strip():
        yield pending


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask it to stop, then force it."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    finally:
        if process.stdout is not None:
            process.stdout.close()
