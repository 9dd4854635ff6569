"""Keeps CPUs from sleeping while a load runs: waking one costs tens of microseconds, which a load
over few connections pays with every op.

Nothing stays behind, whatever ends Dyno: the kernel drops the request with the open file, and ends
the loops with the process that started them.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from dyno.cpus import CpuSet
from dyno.servers import launch
from dyno.telemetry import process_totals

Way = Literal["request", "loops"]

_REQUEST = Path("/dev/cpu_dma_latency")
_DRIVER = Path("/sys/devices/system/cpu/cpuidle/current_driver")
_LOOP = Path(__file__).with_name("loop.py")


@dataclass(frozen=True)
class Awake:
    """How CPUs are kept awake: by "request", /dev/cpu_dma_latency held open with 0, which holds for
    all CPUs of the host; or by "loops", one a CPU, which run only where nothing else wants to.
    """

    way: Way
    loops: tuple[subprocess.Popen[bytes], ...] = ()

    def cpu_s(self) -> float | None:
        """The CPU time that the loops took so far; None where there are none."""
        totals = [process_totals(loop.pid) for loop in self.loops]
        times = [(total.cpu_user_s, total.cpu_system_s) for total in totals]
        used = [sum(filter(None, both)) for both in times if None not in both]
        return round(sum(used), 2) if used else None


@contextlib.contextmanager
def kept_awake(cpus: CpuSet) -> Iterator[Awake]:
    """Keep these CPUs awake, by request where the host heeds it."""
    with contextlib.ExitStack() as stack:
        file = _request() if _heeds_requests() else None
        if file is not None:
            stack.callback(os.close, file)
            yield Awake("request")
            return
        loops = []
        for cpu in sorted(cpus):
            argv = [sys.executable, "-I", "-S", str(_LOOP)]
            loops.append(launch(argv, env={}, cpus=frozenset({cpu})))
            stack.callback(loops[-1].wait)
            stack.callback(loops[-1].kill)
        yield Awake("loops", tuple(loops))


def _heeds_requests() -> bool:
    """Whether the kernel itself chooses how deep a CPU sleeps; else a request changes nothing."""
    try:
        return _DRIVER.read_text().strip() not in ("", "none")
    except OSError:
        return False


def _request() -> int | None:
    try:
        file = os.open(_REQUEST, os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        os.write(file, (0).to_bytes(4, sys.byteorder))
    except OSError:
        os.close(file)
        return None
    return file
