"""What a load host sees of itself while it makes a load: telemetry, and what its agent costs."""

from __future__ import annotations

import time
from dataclasses import dataclass
from statistics import mean

from dyno.telemetry import HostCollector, Sampler, Series

_NOT_BUSY = ("host_cpu_idle_pct", "host_cpu_iowait_pct")


@dataclass(frozen=True)
class HostWatched:
    """The host's columns, one row a second, and the CPU time of the agent's process, telemetry
    included, per cent of one core.
    """

    series: Series
    agent_cpu_share_pct: float

    def busy_pct(self, last_s: float) -> float | None:
        """How busy all CPUs of the host were in its last seconds: a mean; None if unknown."""
        samples = self.series.samples
        if not samples:
            return None
        begin_s = samples[-1].t_s - last_s
        found = []
        for sample in samples:
            idle = [sample.values.get(name) for name in _NOT_BUSY]
            if sample.t_s >= begin_s and None not in idle:
                found.append(100 - sum(pct for pct in idle if pct is not None))
        return mean(found) if found else None


class OwnCpu:
    """CPU time of this process, from the making of this on."""

    def __init__(self) -> None:
        self._begun_s, self._cpu_s = time.monotonic(), time.process_time()

    def share_pct(self) -> float:
        """Per cent of one core until now."""
        elapsed_s = time.monotonic() - self._begun_s
        return 100 * (time.process_time() - self._cpu_s) / elapsed_s


class Watcher:
    """Watches from its making on until it is asked what it saw. One use."""

    def __init__(self) -> None:
        self._sampler = Sampler([HostCollector()])
        self._cpu = OwnCpu()
        self._sampler.start()

    def stop(self) -> HostWatched:
        """All that it saw; asked again, its series is the same."""
        series = self._sampler.stop()
        return HostWatched(series, self._cpu.share_pct())
