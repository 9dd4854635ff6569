"""Runs one command to its end and says what it cost, by the lines that it prints. Parses none."""

from __future__ import annotations

import os
import select
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dyno.errors import LoadError

LOOK_S = 0.1
TIMEOUT_S = 600.0
CHUNK = 1 << 16


@dataclass(frozen=True)
class Cost:
    """A process from its start to its end; CPU is user mode and kernel together.

    `rss_bytes_max` is None for one that ended before the first look at it.
    """

    cpu_s: float
    wall_s: float
    rss_bytes_max: int | None


@dataclass(frozen=True)
class Line:
    """What a process printed, when it was read, and the CPU time that the process had had by then.

    Two lines make a window: what a tool cost while it measured, however long it took to start.
    `t_s` has no origin. `server_cpu_s` is that of the server, where one was named.
    """

    text: str
    t_s: float
    cpu_s: float
    server_cpu_s: float | None = None


def run(
    argv: Sequence[str], folder: Path, server_pid: int | None = None
) -> tuple[Cost, list[Line]]:
    """Run a command; its cost and its output. Raises LoadError if it fails or never ends."""
    errors = folder / "stderr"
    begun = time.monotonic()
    with errors.open("wb") as err:
        process = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=err
        )
    assert process.stdout is not None
    with process.stdout:
        watch = _Watch(process.pid, process.stdout.fileno(), server_pid)
        try:
            watch.to_the_end(begun + TIMEOUT_S)
        except BaseException:
            process.kill()
            process.wait()
            raise
    _, status, usage = os.wait4(process.pid, 0)
    wall_s = time.monotonic() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        said = [line.text for line in watch.lines if line.text.strip()][-3:]
        said += errors.read_text(errors="replace").splitlines()[-3:]
        raise LoadError(
            f"{Path(argv[0]).name} ended with exit code {process.returncode}: {' / '.join(said)}",
            hint=f"run it by hand: {' '.join(argv)}",
        )
    return Cost(usage.ru_utime + usage.ru_stime, wall_s, watch.rss_bytes_max), watch.lines


@dataclass
class _Watch:
    """A process under way: its lines, and its peak of resident memory as seen so far."""

    pid: int
    output: int
    server_pid: int | None
    lines: list[Line] = field(default_factory=list)
    rss_bytes_max: int | None = None

    def to_the_end(self, deadline: float) -> None:
        """Read until the output is closed."""
        rest, looked = b"", 0.0
        while True:
            if select.select([self.output], [], [], LOOK_S)[0]:
                chunk = os.read(self.output, CHUNK)
                t_s, cpu_s = time.monotonic(), process_cpu_s(self.pid)
                server_s = None if self.server_pid is None else process_cpu_s(self.server_pid)
                *whole, rest = (rest + chunk).split(b"\n")
                whole += [rest] if not chunk and rest else []
                texts = [text.decode(errors="replace") for text in whole]
                self.lines += [Line(text, t_s, cpu_s, server_s) for text in texts]
                if not chunk:
                    return
            now = time.monotonic()
            if now - looked >= LOOK_S:
                looked, self.rss_bytes_max = now, peak_bytes(self.pid) or self.rss_bytes_max
            if now > deadline:
                raise LoadError(f"process {self.pid} still ran after {TIMEOUT_S:.0f} s")


def server_cpu_between(begin: Line, end: Line) -> float | None:
    """What the server had of CPU between two lines; None where none was named."""
    if begin.server_cpu_s is None or end.server_cpu_s is None:
        return None
    return end.server_cpu_s - begin.server_cpu_s


def process_cpu_s(pid: int) -> float:
    """CPU seconds of a process so far, all threads, in nanosecond steps.

    The clock's number is made of the pid as clock_getcpuclockid(3) makes it.
    """
    return time.clock_gettime((~pid << 3) | 2)


def peak_bytes(pid: int) -> int | None:
    """The peak of resident memory so far; None for a process that has ended.

    Not from rusage, which counts the memory of whoever started the process, too: that peak
    outlives exec(2).
    """
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return None
