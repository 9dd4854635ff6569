"""The `host` collector: vmstat's columns, memory and pressure of the whole machine.

Inside a container /proc is still the host's: neighbours are included, intentionally. What the
machine is, rather than does, is in `facts`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from dyno.telemetry import proc
from dyno.telemetry.collector import Column, Rates, Source, gather

_CPU = ("host_cpu_user_pct", "host_cpu_system_pct", "host_cpu_idle_pct",
        "host_cpu_iowait_pct", "host_cpu_steal_pct")  # fmt: skip


def _read_stat(folder: Path) -> dict[str, float]:
    text = proc.read_text(folder / "stat")
    ticks = proc.host_cpu_ticks(text)
    numbers = proc.first_numbers(text)
    return {
        # The thread that reads this file is running: vmstat excludes itself as well.
        "host_procs_running": max(0, numbers["procs_running"] - 1),
        "host_procs_blocked": numbers["procs_blocked"],
        "host_interrupts_per_s": numbers["intr"],
        "host_context_switches_per_s": numbers["ctxt"],
        "host_cpu_user_pct": ticks["user"] + ticks["nice"],
        "host_cpu_system_pct": ticks["system"] + ticks["irq"] + ticks["softirq"],
        "host_cpu_idle_pct": ticks["idle"],
        "host_cpu_iowait_pct": ticks["iowait"],
        "host_cpu_steal_pct": ticks["steal"],
    }


def _read_vmstat(folder: Path) -> dict[str, float]:
    numbers = proc.first_numbers(proc.read_text(folder / "vmstat"))
    page_kib = proc.PAGE_BYTES / 1024
    return {
        "host_swap_in_kib_per_s": numbers["pswpin"] * page_kib,
        "host_swap_out_kib_per_s": numbers["pswpout"] * page_kib,
        "host_block_in_kib_per_s": numbers["pgpgin"],
        "host_block_out_kib_per_s": numbers["pgpgout"],
    }


def _read_meminfo(folder: Path) -> dict[str, float]:
    kib = proc.first_numbers(proc.read_text(folder / "meminfo"))
    return {
        "host_memory_free_bytes": kib["MemFree"] * 1024,
        "host_memory_cached_bytes": (kib["Cached"] + kib["Buffers"] + kib["SReclaimable"]) * 1024,
        "host_memory_dirty_bytes": kib["Dirty"] * 1024,
        "host_memory_writeback_bytes": kib["Writeback"] * 1024,
    }


def _read_loadavg(folder: Path) -> dict[str, float]:
    return {"host_load_1min": proc.load_average_1min(proc.read_text(folder / "loadavg"))}


def _read_pressure(folder: Path, *, of: str) -> Mapping[str, float]:
    some = proc.pressure_some(proc.read_text(folder / "pressure" / of))
    return {
        f"host_psi_{of}_some_avg10_pct": some["avg10"],
        # Microseconds stalled, as a percentage of a second: its rate is a share of the window.
        f"host_psi_{of}_some_pct": some["total"] / 1e6 * 100,
    }


def _pressure(of: str, waits_for: str) -> Source:
    return Source(
        partial(_read_pressure, of=of),
        (
            Column(f"host_psi_{of}_some_pct", "%",
                   f"share of the time since the last sample in which at least one task waited "
                   f"for {waits_for}", "lower", rate=True),
            Column(f"host_psi_{of}_some_avg10_pct", "%",
                   "the same as the kernel's running average over 10 s; reaches back before the "
                   "trial", "lower"),
        ),
    )  # fmt: skip


SOURCES = (
    Source(_read_stat, (
        Column("host_procs_running", "tasks",
               "tasks running or ready to run, without the sampler itself (vmstat r)"),
        Column("host_procs_blocked", "tasks", "tasks blocked, waiting for I/O (vmstat b)", "lower"),
        Column("host_interrupts_per_s", "1/s", "interrupts (vmstat in)", rate=True),
        Column("host_context_switches_per_s", "1/s", "context switches (vmstat cs)", rate=True),
        Column("host_cpu_user_pct", "%", "CPU time of all cores in user code, nice included "
               "(vmstat us)", rate=True),
        Column("host_cpu_system_pct", "%", "CPU time of all cores in the kernel, interrupts "
               "included (vmstat sy)", rate=True),
        Column("host_cpu_idle_pct", "%", "CPU time of all cores idle (vmstat id)", rate=True),
        Column("host_cpu_iowait_pct", "%", "CPU time of all cores idle while I/O was outstanding "
               "(vmstat wa)", rate=True),
        Column("host_cpu_steal_pct", "%", "CPU time that the hypervisor gave to others "
               "(vmstat st)", "lower", rate=True),
    )),
    Source(_read_vmstat, (
        Column("host_swap_in_kib_per_s", "KiB/s", "read from swap (vmstat si)", "lower", rate=True),
        Column("host_swap_out_kib_per_s", "KiB/s", "written to swap (vmstat so)", "lower",
               rate=True),
        Column("host_block_in_kib_per_s", "KiB/s", "read from block devices (vmstat bi)",
               rate=True),
        Column("host_block_out_kib_per_s", "KiB/s", "written to block devices (vmstat bo)",
               rate=True),
    )),
    Source(_read_meminfo, (
        Column("host_memory_free_bytes", "bytes", "memory that is used for nothing (vmstat free)"),
        Column("host_memory_cached_bytes", "bytes",
               "page cache, buffers and reclaimable slab (vmstat buff and cache)"),
        Column("host_memory_dirty_bytes", "bytes", "page cache waiting to be written to disk"),
        Column("host_memory_writeback_bytes", "bytes", "page cache being written to disk"),
    )),
    Source(_read_loadavg, (
        Column("host_load_1min", "tasks", "load average over about a minute; reaches back before "
               "the trial"),
    )),
    _pressure("cpu", "a CPU"),
    _pressure("io", "I/O"),
    _pressure("memory", "memory"),
)  # fmt: skip


class HostCollector:
    """Reads `folder` (/proc). All-core CPU shares add up to 100 per cent, as vmstat's do."""

    name = "host"
    columns = tuple(column for source in SOURCES for column in source.columns)

    def __init__(
        self, *, folder: Path = Path("/proc"), clock_s: Callable[[], float] = time.monotonic
    ) -> None:
        self.unavailable: dict[str, str] = {}
        self._folder = folder
        self._clock_s = clock_s
        self._rates = Rates()

    def sample(self) -> dict[str, float | None]:
        """Read every file once; a file that can't be read leaves its columns without a value."""
        values, self.unavailable = gather(
            SOURCES, self._folder, rates=self._rates, at_s=self._clock_s()
        )
        self._share_cpu(values)
        return values

    def _share_cpu(self, values: dict[str, float | None]) -> None:
        """Turn ticks per second into shares of all ticks, in place.

        One counter that ran backwards (idle and iowait may, says proc(5)) spoils the sum, so all
        five are then missing.
        """
        ticks = {name: value for name in _CPU if (value := values[name]) is not None}
        total = sum(ticks.values())
        if len(ticks) == len(_CPU) and total > 0:
            values.update({name: 100 * value / total for name, value in ticks.items()})
            return
        values.update(dict.fromkeys(_CPU))
        if ticks:
            cause = next((self.unavailable[n] for n in _CPU if n in self.unavailable), "no ticks")
            self.unavailable.update(dict.fromkeys(_CPU, cause))
