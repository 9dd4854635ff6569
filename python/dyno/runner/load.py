"""Starts dynoload on a load plan and files its events. It makes no load itself."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dyno.errors import LoadError
from dyno.program import find_dynoload
from dyno.servers import launch
from dyno.spec.events import Event, EventLog, Hello, parse_event
from dyno.spec.load_plan import LoadPlan
from dyno.store.files import storing

STOP_TIMEOUT_S = 15.0
_WRONG_PLAN = 2
_REFUSED = 3


class Enough:
    """Tells a running load that it is enough, from any thread: see `until` of the load plan."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None

    def say(self) -> None:
        """The phase at hand ends as if its time were over; nothing happens where no load runs."""
        if self.process is not None:
            self.process.send_signal(signal.SIGUSR1)


@dataclass(frozen=True)
class LoadResult:
    """How dynoload ended, and all that it said."""

    exit_code: int
    log: EventLog
    stderr: str

    @property
    def failure(self) -> str | None:
        """Why the load is not whole, in one line; None when it is."""
        if self.exit_code == 0 and self.log.summary is not None and self.log.summary.complete:
            return None
        fatal = [fault.message for fault in self.log.faults if fault.fatal]
        if fatal:
            return fatal[-1]
        words = self.stderr.strip().splitlines()
        return words[0] if words else f"dynoload ended with exit code {self.exit_code}"

    @property
    def refused(self) -> bool:
        """Whether the server refused something that the load rests on: it was not lost."""
        return self.exit_code == _REFUSED


def run_load(
    plan: LoadPlan,
    folder: Path,
    *,
    password: str | None = None,
    on_event: Callable[[Event], None] | None = None,
    enough: Enough | None = None,
) -> LoadResult:
    """Run one load plan to its end; `folder` keeps load.json. `enough` can tell it to end.

    The password goes through the environment variable that the plan names. An exception (Ctrl-C)
    ends dynoload first. Raises LoadError if dynoload is missing, refuses the plan, or is a debug
    build, whose figures would be its own.
    """
    plan_file = folder.absolute() / "load.json"
    with storing(plan_file):
        plan_file.write_text(plan.to_json() + "\n", encoding="utf-8")
    environment = {"PATH": os.defpath, "LC_ALL": "C"}
    if password is not None and plan.target.password_env:
        environment[plan.target.password_env] = password
    words = folder / "dynoload.err"
    with words.open("wb") as stderr:
        process = launch(
            [str(find_dynoload()), "run", str(plan_file)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=stderr,
        )
        if enough is not None:
            enough.process = process
        try:
            log = _file_events(process, on_event)
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
    process: subprocess.Popen[bytes], on_event: Callable[[Event], None] | None
) -> EventLog:
    log = EventLog()
    assert process.stdout is not None
    for line in process.stdout:
        if not line.strip():
            continue
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


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask it to stop, then make it."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    finally:
        if process.stdout is not None:
            process.stdout.close()
