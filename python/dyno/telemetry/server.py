"""The `server` collector: CPU, memory, I/O, faults and context switches of one process.

It watches the process that had the pid when the collector was made: once that has ended, the
values are missing, even if the pid was reused. It asks the server nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from dyno.telemetry import proc
from dyno.telemetry.collector import Column, Rates, Source, gather, reason

_VOLUNTARY = "server_context_switches_voluntary_per_s"
_INVOLUNTARY = "server_context_switches_involuntary_per_s"

_STAT_COLUMNS = (
    Column("server_cpu_user_pct", "% of one core", "CPU time in user code; 200 is two cores busy",
           rate=True),
    Column("server_cpu_system_pct", "% of one core", "CPU time in the kernel on its behalf",
           rate=True),
    Column("server_rss_bytes", "bytes", "resident memory, shared pages included", "lower"),
    Column("server_threads", "threads", "threads alive"),
    Column("server_faults_minor_per_s", "1/s", "page faults that needed no I/O", "lower",
           rate=True),
    Column("server_faults_major_per_s", "1/s", "page faults that waited for I/O", "lower",
           rate=True),
)  # fmt: skip
_IO_COLUMNS = (
    Column("server_read_bytes_per_s", "bytes/s", "fetched from storage; what the page cache "
           "answered is not in it", "lower", rate=True),
    Column("server_write_bytes_per_s", "bytes/s", "made to be written to storage, counted when a "
           "page gets dirty; tmpfs is not in it", "lower", rate=True),
    Column("server_rchar_bytes_per_s", "bytes/s", "asked for by read calls, from page cache, "
           "sockets and pipes too", rate=True),
    Column("server_wchar_bytes_per_s", "bytes/s", "handed to write calls, to page cache, sockets "
           "and pipes too", rate=True),
)  # fmt: skip
_SWITCH_COLUMNS = (
    Column(_VOLUNTARY, "1/s", "context switches because a thread waited; a thread's last ones "
           "before it ended are lost", rate=True),
    Column(_INVOLUNTARY, "1/s", "context switches because a thread's time was up or another came "
           "first; likewise", "lower", rate=True),
)  # fmt: skip


def _read_stat(folder: Path) -> dict[str, float]:
    stat = proc.process_stat(proc.read_text(folder / "stat"))
    return {
        "server_cpu_user_pct": stat.cpu_user_s * 100,
        "server_cpu_system_pct": stat.cpu_system_s * 100,
        "server_rss_bytes": stat.rss_bytes,
        "server_threads": stat.threads,
        "server_faults_minor_per_s": stat.faults_minor,
        "server_faults_major_per_s": stat.faults_major,
    }


def _read_io(folder: Path) -> dict[str, float]:
    io = proc.first_numbers(proc.read_text(folder / "io"))
    return {
        "server_read_bytes_per_s": io["read_bytes"],
        "server_write_bytes_per_s": io["write_bytes"],
        "server_rchar_bytes_per_s": io["rchar"],
        "server_wchar_bytes_per_s": io["wchar"],
    }


class _Switches:
    """Context switches of all threads, as counters that only grow.

    /proc/PID/status only counts those of the first thread, which in a server does nothing but wait.
    So each thread is read, and its increase since the last time is added to the total.
    """

    def __init__(self) -> None:
        self._last: dict[str, tuple[int, int]] = {}
        self._total = (0, 0)

    def __call__(self, folder: Path) -> dict[str, float]:
        now = {}
        for task in (folder / "task").iterdir():
            try:
                now[task.name] = proc.context_switches(proc.read_text(task / "status"))
            except (FileNotFoundError, ProcessLookupError):
                continue  # It ended between the listing and the reading.
        for thread, (voluntary, involuntary) in now.items():
            before = self._last.get(thread, (0, 0))
            if voluntary < before[0] or involuntary < before[1]:
                before = (0, 0)  # The id was given to a new thread.
            self._total = (
                self._total[0] + voluntary - before[0],
                self._total[1] + involuntary - before[1],
            )
        self._last = now
        return {_VOLUNTARY: self._total[0], _INVOLUNTARY: self._total[1]}


def gone(folder: Path, *, start_ticks: int | None) -> str | None:
    """Why the process that started at `start_ticks` can't be read in `folder`; None if it can.

    A zombie counts as gone: the kernel shows its memory as 0.
    """
    try:
        stat = proc.process_stat(proc.read_text(folder / "stat"))
    except (FileNotFoundError, ProcessLookupError):
        if start_ticks is None:
            return f"there is no process {folder.name}, or it is hidden"
        return f"process {folder.name} has ended"
    except (OSError, ValueError, LookupError) as error:
        return reason(error)
    if stat.state in "ZX" or start_ticks != stat.start_ticks:
        return f"process {folder.name} has ended"
    return None


def start_ticks(folder: Path) -> int | None:
    """When the process started, in ticks since boot: with the pid, its identity. None: gone."""
    try:
        return proc.process_stat(proc.read_text(folder / "stat")).start_ticks
    except (OSError, ValueError, LookupError):
        return None


class ServerCollector:
    """Watches process `pid` below `folder` (/proc)."""

    name = "server"
    columns = _STAT_COLUMNS + _IO_COLUMNS + _SWITCH_COLUMNS

    def __init__(
        self,
        pid: int,
        *,
        folder: Path = Path("/proc"),
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.unavailable: dict[str, str] = {}
        self._folder = folder / str(pid)
        self._start_ticks = start_ticks(self._folder)
        self._clock_s = clock_s
        self._rates = Rates()
        self._sources = (
            Source(_read_stat, _STAT_COLUMNS),
            Source(_read_io, _IO_COLUMNS),
            Source(_Switches(), _SWITCH_COLUMNS),
        )

    def sample(self) -> dict[str, float | None]:
        """Read the process once; all values are missing if it has ended."""
        cause = gone(self._folder, start_ticks=self._start_ticks)
        if cause is not None:
            self._rates.forget()
            self.unavailable = {column.name: cause for column in self.columns}
            return dict.fromkeys(self.unavailable)
        values, self.unavailable = gather(
            self._sources, self._folder, rates=self._rates, at_s=self._clock_s()
        )
        return values
