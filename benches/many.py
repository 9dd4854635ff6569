"""What load hosts cost their driver, by their number: agents and loads without a server, all here.

    python -m benches.many [--counts 1,10,30,100] [--seconds 10]

Each host runs two connections that hardly do anything, because all share this machine's CPUs: what
counts is what the driver does for each of them. A line of JSON for each number of hosts.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psutil

from benches.tools.agent import hosts_here, scheduler, workers
from dyno.hosts.ceiling import no_server_plan
from dyno.hosts.elsewhere import Elsewhere
from dyno.hosts.result import LoadResult
from dyno.spec.events import Interval

PER_HOST = 2
THINK_S = 0.05


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--counts", default="1,10,30,100")
    parser.add_argument("--seconds", type=int, default=10)
    options = parser.parse_args()
    for count in map(int, options.counts.split(",")):
        print(json.dumps(measured(count, options.seconds)), flush=True)


def measured(count: int, seconds: int) -> dict[str, Any]:
    """Of this many hosts: seconds to join and to load, CPU per host and second of load, begins."""
    begun_s = time.monotonic()
    with hosts_here(count) as hosts:
        joined_s = time.monotonic() - begun_s
        at_scheduler = scheduler()
        memory_bytes = sum(each.memory_full_info().pss for each in workers())
        with _costing(at_scheduler) as cost:
            intervals, result = _load(hosts, seconds, count)
    parts = result.by_host.values()
    late_us = sorted((part.late_ns or 0) / 1000 for part in parts)
    bound_us = [(part.clock_bound_ns or 0) / 1000 for part in parts]
    return {
        "hosts": count,
        "joined_s": round(joined_s, 1),
        "load_s": round(cost["wall_s"], 1),
        "seconds": seconds,
        "intervals": intervals,
        "failure": result.failure,
        "driver_cpu_s": round(cost["driver_s"], 2),
        "scheduler_cpu_s": round(cost["scheduler_s"], 2),
        "late_us_median": round(late_us[len(late_us) // 2], 1),
        "late_us_max": round(late_us[-1], 1),
        "clock_bound_us_max": round(max(bound_us), 1),
        "agent_mb": round(memory_bytes / 1e6 / count, 1),
    }


def _load(hosts: Elsewhere, seconds: int, count: int) -> tuple[int, LoadResult]:
    think = {"distribution": "exponential", "mean_s": THINK_S}
    plan = no_server_plan(connections=PER_HOST * count, seconds=seconds, think=think)
    seen: list[Interval] = []
    result = hosts.group(plan).run(
        password=None,
        on_event=lambda event: seen.append(event) if isinstance(event, Interval) else None,
        look=lambda: None,
    )
    return len(seen), result


@contextmanager
def _costing(at_scheduler: psutil.Process) -> Iterator[dict[str, float]]:
    """CPU seconds of this process and of the scheduler, and the time that it took."""
    cost: dict[str, float] = {}
    begun_s = time.monotonic()
    before = _cpu_s(os.getpid()), _cpu_s(at_scheduler.pid)
    yield cost
    cost["wall_s"] = time.monotonic() - begun_s
    cost["driver_s"] = _cpu_s(os.getpid()) - before[0]
    cost["scheduler_s"] = _cpu_s(at_scheduler.pid) - before[1]


def _cpu_s(pid: int) -> float:
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)


if __name__ == "__main__":
    main()
