"""The texts of Linux's /proc, parsed. Pure: text in, numbers out; formats as in proc(5).

Every parser raises ValueError or LookupError (IndexError, KeyError) on a text that isn't in
its format, which `known` turns into None; none fills a gap with a zero.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

_T = TypeVar("_T")
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_CPU_FIELDS = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")


def known(read: Callable[[], _T]) -> _T | None:
    """What can be read; None if this host doesn't have it, or shows it in another format."""
    try:
        return read()
    except (OSError, ValueError, LookupError):
        return None


def read_text(path: Path) -> str:
    """A file of the kernel. Process names in it can have any encoding."""
    return path.read_text(encoding="utf-8", errors="replace")


def host_cpu_ticks(stat: str) -> dict[str, int]:
    """The first line of /proc/stat, `cpu`, by field. Guest time is left out: `user` contains it."""
    words = stat.splitlines()[0].split()
    if words[0] != "cpu":
        raise ValueError(f"/proc/stat starts with 'cpu', not {words[0]!r}")
    return _ticks(words)


def cpu_ticks(stat: str) -> dict[int, dict[str, int]]:
    """The lines of /proc/stat that describe one CPU each, by its number."""
    found = {}
    for line in stat.splitlines():
        words = line.split()
        if words and words[0].startswith("cpu") and words[0] != "cpu":
            found[int(words[0].removeprefix("cpu"))] = _ticks(words)
    return found


def _ticks(words: list[str]) -> dict[str, int]:
    return dict(zip(_CPU_FIELDS, map(int, words[1 : 1 + len(_CPU_FIELDS)]), strict=True))


def first_numbers(text: str) -> dict[str, int]:
    """Lines of "name number ..." or "name: number kB": the first number by name, unconverted."""
    found = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) >= 2 and words[1].isdecimal():
            found[words[0].removesuffix(":")] = int(words[1])
    return found


def context_switches(status: str) -> tuple[int, int]:
    """Voluntary and involuntary ones of a thread: the last two lines of its status.

    Read from the end, because a server with hundreds of connections has hundreds of these.
    """
    _, found, numbers = status.rpartition("\nvoluntary_ctxt_switches:")
    if not found:
        raise ValueError("a status without voluntary_ctxt_switches")
    words = numbers.split()
    if words[1] != "nonvoluntary_ctxt_switches:":
        raise ValueError(f"nonvoluntary_ctxt_switches was to follow, not {words[1]!r}")
    return int(words[0]), int(words[2])


def load_average_1min(loadavg: str) -> float:
    """The mean number of tasks running or blocked over the last minute or so."""
    return float(loadavg.split()[0])


def pressure_some(pressure: str) -> dict[str, float]:
    """The `some` line of a PSI file: avg10, avg60, avg300 in per cent, total in microseconds."""
    words = pressure.splitlines()[0].split()
    if words[0] != "some":
        raise ValueError(f"a pressure file starts with 'some', not {words[0]!r}")
    return {key: float(value) for key, _, value in (word.partition("=") for word in words[1:])}


@dataclass(frozen=True)
class ProcessStat:
    """The fields of /proc/PID/stat that Dyno uses. All but `threads` count ended threads too."""

    state: str
    faults_minor: int
    faults_major: int
    cpu_user_s: float
    cpu_system_s: float
    threads: int
    start_ticks: int
    rss_bytes: int


def process_stat(stat: str) -> ProcessStat:
    """Parse /proc/PID/stat. The name in parentheses can hold spaces and parentheses itself."""
    words = stat.rpartition(")")[2].split()
    return ProcessStat(
        state=words[0],
        faults_minor=int(words[7]),
        faults_major=int(words[9]),
        cpu_user_s=int(words[11]) / TICKS_PER_S,
        cpu_system_s=int(words[12]) / TICKS_PER_S,
        threads=int(words[17]),
        start_ticks=int(words[19]),
        rss_bytes=int(words[21]) * PAGE_BYTES,
    )
