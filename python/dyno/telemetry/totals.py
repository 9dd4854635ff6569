"""What a process, or the host, did between two instants: for "server CPU per op" and the like.

Exact where a series is not: the kernel's own totals at both ends, no rates in between.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dyno.telemetry import proc
from dyno.telemetry.collector import reason
from dyno.telemetry.server import gone, start_ticks

_DELTAS = ("cpu_user_s", "cpu_system_s", "read_bytes", "write_bytes", "rchar_bytes", "wchar_bytes")


@dataclass(frozen=True)
class ProcessTotals:
    """Totals since the process started; None if not readable, `unavailable` says why.

    CPU times are in seconds, of all threads, ended ones included. `rss_peak_bytes` is the highest
    resident memory so far (VmHWM). `start_ticks` distinguishes the process from a later one with
    that pid.
    """

    pid: int
    start_ticks: int | None
    cpu_user_s: float | None
    cpu_system_s: float | None
    read_bytes: int | None
    write_bytes: int | None
    rchar_bytes: int | None
    wchar_bytes: int | None
    rss_peak_bytes: int | None
    unavailable: Mapping[str, str]


@dataclass(frozen=True)
class ProcessUse:
    """What was used from one instant to a later one; names as in `ProcessTotals`.

    Only `rss_peak_bytes` isn't a difference: it is the peak from the process's start to the later
    one.
    """

    cpu_user_s: float | None
    cpu_system_s: float | None
    read_bytes: int | None
    write_bytes: int | None
    rchar_bytes: int | None
    wchar_bytes: int | None
    rss_peak_bytes: int | None
    unavailable: Mapping[str, str]


def process_totals(pid: int, *, folder: Path = Path("/proc")) -> ProcessTotals:
    """Read the totals of process `pid`. Never raises for a process that has ended."""
    process = folder / str(pid)
    started = start_ticks(process)
    found: dict[str, float] = {}
    unavailable: dict[str, str] = {}
    cause = gone(process, start_ticks=started)
    for names, read in (
        (_DELTAS[:2], _read_cpu),
        (_DELTAS[2:], _read_io),
        (("rss_peak_bytes",), _read_peak),
    ):
        try:
            found |= {} if cause else read(process)
        except (OSError, ValueError, LookupError) as error:
            unavailable |= dict.fromkeys(names, reason(error))
        if cause:
            unavailable |= dict.fromkeys(names, cause)
    return ProcessTotals(
        pid=pid,
        start_ticks=None if cause else started,
        cpu_user_s=found.get("cpu_user_s"),
        cpu_system_s=found.get("cpu_system_s"),
        read_bytes=_as_int(found.get("read_bytes")),
        write_bytes=_as_int(found.get("write_bytes")),
        rchar_bytes=_as_int(found.get("rchar_bytes")),
        wchar_bytes=_as_int(found.get("wchar_bytes")),
        rss_peak_bytes=_as_int(found.get("rss_peak_bytes")),
        unavailable=unavailable,
    )


def process_use(before: ProcessTotals, after: ProcessTotals) -> ProcessUse:
    """After - before; everything is missing unless both are of one and the same process."""
    unavailable = {**before.unavailable, **after.unavailable}
    same = before.pid == after.pid and before.start_ticks == after.start_ticks
    if not same:
        cause = f"process {before.pid} was not the same at both ends"
        for name in (*_DELTAS, "rss_peak_bytes"):
            unavailable.setdefault(name, cause)

    def used(start: float | None, end: float | None) -> float | None:
        return end - start if same and start is not None and end is not None else None

    return ProcessUse(
        cpu_user_s=used(before.cpu_user_s, after.cpu_user_s),
        cpu_system_s=used(before.cpu_system_s, after.cpu_system_s),
        read_bytes=_as_int(used(before.read_bytes, after.read_bytes)),
        write_bytes=_as_int(used(before.write_bytes, after.write_bytes)),
        rchar_bytes=_as_int(used(before.rchar_bytes, after.rchar_bytes)),
        wchar_bytes=_as_int(used(before.wchar_bytes, after.wchar_bytes)),
        rss_peak_bytes=after.rss_peak_bytes if same else None,
        unavailable=unavailable,
    )


def host_context_switches(*, folder: Path = Path("/proc")) -> int | None:
    """Context switches of the whole host since it booted; None where they can't be read."""
    try:
        return proc.first_numbers(proc.read_text(folder / "stat"))["ctxt"]
    except (OSError, ValueError, LookupError):
        return None


def _read_cpu(process: Path) -> dict[str, float]:
    stat = proc.process_stat(proc.read_text(process / "stat"))
    return {"cpu_user_s": stat.cpu_user_s, "cpu_system_s": stat.cpu_system_s}


def _read_io(process: Path) -> dict[str, float]:
    io = proc.first_numbers(proc.read_text(process / "io"))
    return {
        "read_bytes": io["read_bytes"],
        "write_bytes": io["write_bytes"],
        "rchar_bytes": io["rchar"],
        "wchar_bytes": io["wchar"],
    }


def _read_peak(process: Path) -> dict[str, float]:
    return {
        "rss_peak_bytes": proc.first_numbers(proc.read_text(process / "status"))["VmHWM"] * 1024
    }


def _as_int(value: float | None) -> int | None:
    return None if value is None else int(value)
