"""A program that this process runs and talks to, line by line, from its begin to its end."""

from __future__ import annotations

import os
import select
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from dyno.cpus import CpuSet
from dyno.launch import launch

STOP_TIMEOUT_S = 15.0
PIPE_BYTES = 1 << 20


class Program:
    """It dies with this process, whatever kills that."""

    def __init__(
        self,
        argv: Sequence[str],
        words: Path,
        *,
        env: Mapping[str, str],
        takes_lines: bool,
        pass_fds: Sequence[int] = (),
        cpus: CpuSet | None = None,
        grace_s: float = 0.0,
    ) -> None:
        """Start it; the file `words` keeps what it writes to stderr. `grace_s`: how long it may
        take to stop what it runs elsewhere, before it is killed.
        """
        self._words = words
        self._grace_s = grace_s
        self._pending = b""
        with words.open("wb") as stderr:
            self._process = launch(
                list(argv),
                env=dict(env),
                stdin=subprocess.PIPE if takes_lines else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=stderr,
                pass_fds=list(pass_fds),
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

    def say(self, line: bytes) -> None:
        """Write a line to its input."""
        assert self._process.stdin is not None
        self._process.stdin.write(line + b"\n")
        self._process.stdin.flush()

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self._process.send_signal(number)

    def ended(self) -> tuple[int, str]:
        """Wait for its end: its exit code and what it wrote to stderr."""
        code = self._process.wait()
        self._close()
        words = self._words.read_text(errors="replace")
        if not words:
            self._words.unlink()
        return code, words

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
        """Force it to stop, at once if it has no grace: asked, it may wait for answers that can't
        come any more.
        """
        if self._grace_s:
            self._process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(self._grace_s)
        self._process.kill()
        self._process.wait()
        self._close()

    def _close(self) -> None:
        self._output.close()
        if self._process.stdin is not None:
            self._process.stdin.close()
