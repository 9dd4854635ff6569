"""One dynoload on this host, from its begin to its end."""

from __future__ import annotations

import os
import select
import signal
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dyno.cpus import CpuSet
from dyno.errors import LoadError
from dyno.hosts.watched import HostWatched
from dyno.passwords import handed_down
from dyno.program import find_dynoload
from dyno.servers import launch
from dyno.spec.events import Event, EventLog, Hello, parse_event
from dyno.spec.load_plan import LoadPlan
from dyno.spec.summary import PhaseSummary
from dyno.store.files import storing

STOP_TIMEOUT_S = 15.0
PIPE_BYTES = 1 << 20
WRONG_PLAN = 2
REFUSED = 3
# In place of the exit code of a dynoload that nobody can ask.
LOST = -1


@dataclass(frozen=True)
class HostPart:
    """What one of several hosts measured: how long after the agreed instant it began, by its own
    clock, and by how much that clock may be wrong; None where nothing was agreed on. `watched`:
    what it saw of itself, None of the server's own host.
    """

    phase: PhaseSummary
    late_ns: int | None
    clock_bound_ns: float | None
    watched: HostWatched | None = None


@dataclass(frozen=True)
class LoadResult:
    """How dynoload ended, and all its output. `host`: which of several load hosts failed;
    `by_host`: what each of them has measured, by its name.
    """

    exit_code: int
    log: EventLog
    stderr: str
    host: str | None = None
    by_host: Mapping[str, HostPart] = field(default_factory=dict)

    @property
    def failure(self) -> str | None:
        """Why the load is not whole, in one line; None if it is."""
        if self.exit_code == 0 and self.log.summary is not None and self.log.summary.complete:
            return None
        fatal = [fault.message for fault in self.log.faults if fault.fatal]
        words = self.stderr.strip().splitlines()
        why = [*fatal[-1:], *words[:1], f"dynoload ended with exit code {self.exit_code}"][0]
        return why if self.host is None else f"{self.host}: {why}"

    @property
    def is_lost(self) -> bool:
        """Whether a host vanished: its load says nothing about the server."""
        return self.exit_code == LOST

    @property
    def refused(self) -> bool:
        """Whether the server refused something that the load needs: it was not lost."""
        return self.exit_code == REFUSED


def result_of(exit_code: int, stderr: str, log: EventLog, *, host: str | None = None) -> LoadResult:
    """How it ended. Raises LoadError if dynoload refused the plan: no plan would fare better."""
    result = LoadResult(exit_code, log, stderr, host)
    if exit_code == WRONG_PLAN:
        raise LoadError(
            f"dynoload refused its plan: {stderr.strip() or result.failure}",
            hint="if dyno and dynoload come from different versions, install them together",
        )
    return result


def events_in(lines: Iterable[bytes]) -> Iterator[Event]:
    """The events that dynoload wrote. Raises LoadError, also for a debug build."""
    for line in lines:
        event = parse_event(line.decode("utf-8", errors="replace"))
        if isinstance(event, Hello) and event.build != "release":
            raise LoadError(
                "this dynoload is a debug build, whose own cost would be measured",
                hint="build it with cargo build --release, or run make dev",
            )
        yield event


def write_plan(plan: LoadPlan, folder: Path) -> Path:
    """The plan as load.json in a folder. Raises StoreError."""
    file = folder.absolute() / "load.json"
    with storing(file):
        file.write_text(plan.to_json() + "\n", encoding="utf-8")
    return file


class Generator:
    """A dynoload that runs a plan. It dies with this process, whatever kills that."""

    def __init__(
        self,
        plan: LoadPlan,
        folder: Path,
        *,
        password: str | None = None,
        cpus: CpuSet | None = None,
    ) -> None:
        """Start it; `folder` keeps load.json. The password is handed down if the plan needs one;
        when dynoload is run by hand it comes from the environment variable that the plan names.

        Raises LoadError if dynoload is missing.
        """
        plan_file = write_plan(plan, folder)
        self._words = folder / "dynoload.err"
        self._pending = b""
        with self._words.open("wb") as stderr, handed_down((password or "").encode()) as secret:
            # The same user can read environments as well as arguments.
            by_hand = ["--password-fd", str(secret)] if plan.target.password_env else []
            self._process = launch(
                [str(find_dynoload()), "run", *by_hand, str(plan_file)],
                env={"PATH": os.defpath, "LC_ALL": "C"},
                stdin=subprocess.PIPE if plan.start is not None else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=stderr,
                pass_fds=[secret],
                cpus=cpus,
            )
        assert self._process.stdout is not None
        self._output = self._process.stdout
        self._there = select.poll()
        self._there.register(self._output, select.POLLIN)

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

    def hear(self, wait_s: float) -> list[bytes] | None:
        """The lines that it wrote since, after waiting for them this long at most; None once it has
        written all.
        """
        if self._output.closed:
            return None
        if not self._there.poll(wait_s * 1000):
            return []
        said = os.read(self._output.fileno(), PIPE_BYTES)
        if not said:
            self._output.close()
            lines, self._pending = [self._pending], b""
        else:
            *lines, self._pending = (self._pending + said).split(b"\n")
        found = [line for line in lines if line.strip()]
        return None if self._output.closed and not found else found

    def go(self, at_ns: int) -> float:
        """Begin the phase that it is ready for at this instant of CLOCK_MONOTONIC, which is known
        without error: 0 ns.
        """
        assert self._process.stdin is not None
        self._process.stdin.write(b"go %d\n" % at_ns)
        self._process.stdin.flush()
        return 0.0

    def enough(self) -> None:
        """End the current phase as if its time were over: see `until` of the load plan."""
        self._process.send_signal(signal.SIGUSR1)

    def ended(self) -> tuple[int, str]:
        """Wait for its end: its exit code and what it wrote to stderr."""
        code = self._process.wait()
        self._close()
        words = self._words.read_text(errors="replace")
        if not words:
            self._words.unlink()
        return code, words

    def watched(self) -> None:
        """Whoever started it watches this host."""

    def end(self) -> None:
        """Ask it to stop, then force it."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        finally:
            self._close()

    def kill(self) -> None:
        """Force it to stop at once: asked, it would wait for answers that can't come any more."""
        self._process.kill()
        self._process.wait()
        self._close()

    def _close(self) -> None:
        self._output.close()
        if self._process.stdin is not None:
            self._process.stdin.close()
