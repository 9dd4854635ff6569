"""Keeps agents running: those of load hosts, and the scheduler at which they meet.

All of them live as long as the process that started them.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from dyno.errors import HostLostError
from dyno.home import remove_tree, start_ticks, stop_process
from dyno.hosts.lean import SCHEDULER
from dyno.launch import launch

READY_S = 60.0
# What ends sooner after its start would end again.
STEADY_S = 10.0
STOP_ALL_S = 60.0
_POLL_S = 0.1
_STOP_S = 10.0
_PID = "up.pid"


class Agents:
    """Agents that this process keeps running, and perhaps their scheduler."""

    def __init__(
        self, commands: Mapping[str, list[str]], environment: Mapping[str, str], folder: Path
    ) -> None:
        """Start these commands; `folder`, which is made, keeps what they write. Raises
        HostLostError if others keep theirs there.
        """
        if (other := _running(folder)) is not None:
            hint = "first: dyno hosts down --hosts FILE"
            raise HostLostError(f"agents are already running (process {other})", hint=hint)
        folder.mkdir(exist_ok=True)
        (folder / _PID).write_text(f"{os.getpid()} {start_ticks(os.getpid())}")
        self._folder = folder
        self._commands = commands
        # What killed agents leave behind goes with the folder.
        self._temporary = folder / "tmp"
        remove_tree(self._temporary)
        self._temporary.mkdir()
        self._environment = {**environment, "TMPDIR": str(self._temporary)}
        self._begun_s: dict[str, float] = {}
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        try:
            for name in commands:
                self._start(name)
        except BaseException:
            self.close()
            raise

    def wait(self, seen: Callable[[], set[str]], *, limit_s: float = READY_S) -> None:
        """Wait until all that were started are seen. Raises HostLostError if one ends, or isn't
        seen in time.
        """
        deadline = time.monotonic() + limit_s
        while missing := self._processes.keys() - {SCHEDULER} - seen():
            self._require_alive()
            if time.monotonic() > deadline:
                name = min(missing)
                hint = f"see {self._log(name)}"
                raise HostLostError(f"no agent of {name} after {limit_s:g} s", hint=hint)
            time.sleep(_POLL_S)

    def _require_alive(self) -> None:
        """Raise HostLostError if one has ended."""
        for name, process in self._processes.items():
            if process.poll() is not None:
                raise self._ended(name)

    def watch(self, note: Callable[[str], None]) -> None:
        """Start agents again that end, until Ctrl-C. Raises HostLostError once the scheduler ends,
        or an agent that was started just before.
        """
        while True:
            time.sleep(_POLL_S)
            for name in list(self._processes):
                if self._processes[name].poll() is None:
                    continue
                if name == SCHEDULER or time.monotonic() - self._begun_s[name] < STEADY_S:
                    raise self._ended(name)
                note(f"{self._ended(name).message}; it is started again")
                self._start(name)

    def close(self) -> None:
        """Stop all of them, the scheduler last."""
        for process in reversed(self._processes.values()):
            process.terminate()
            try:
                process.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        remove_tree(self._temporary)
        (self._folder / _PID).unlink(missing_ok=True)

    def _start(self, name: str) -> None:
        self._begun_s[name] = time.monotonic()
        with self._log(name).open("wb") as log:
            self._processes[name] = launch(
                self._commands[name],
                env=self._environment,
                cwd=self._folder,
                # Over SSH an agent runs for as long as this stays open.
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
            )

    def _ended(self, name: str) -> HostLostError:
        log = self._log(name)
        words = log.read_text(errors="replace").strip().splitlines()
        why = words[-1] if words else f"exit code {self._processes[name].returncode}"
        what = name if name == SCHEDULER else f"agent of {name}"
        return HostLostError(f"the {what} ended: {why}", hint=f"see {log}")

    def _log(self, name: str) -> Path:
        return self._folder / f"{name}.log"


def stop_running(folder: Path) -> None:
    """Stop the agents that another process runs. Raises HostLostError if there are none."""
    pid = _running(folder)
    if pid is None:
        raise HostLostError("no agents are running", hint="start them: dyno hosts up --hosts FILE")
    # All that it started dies with it.
    stop_process(pid, timeout_s=STOP_ALL_S)


def _running(folder: Path) -> int | None:
    """The process that runs agents here; None if none does. A later process may have its number."""
    try:
        pid, ticks = (folder / _PID).read_text().split()
    except (OSError, ValueError):
        return None
    return int(pid) if str(start_ticks(int(pid))) == ticks else None
