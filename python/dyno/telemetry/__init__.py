"""Telemetry: /proc of host and server to series, facts about the host, totals of a process, and
where its CPU time goes.

Knows nothing of trials and run folders: the runner starts a sampler around what it times and
stores what comes back. A server's own counters (SHOW STATUS) are read by the load generator, on
the measuring connection.
"""

from __future__ import annotations

from dyno.telemetry.collector import Collector, Column
from dyno.telemetry.facts import HostFacts, host_facts
from dyno.telemetry.host import HostCollector
from dyno.telemetry.placed import Thread, threads
from dyno.telemetry.profile import Profile, Profiler
from dyno.telemetry.program import ProgramRead, read_program
from dyno.telemetry.registry import COLLECTORS, COLUMNS
from dyno.telemetry.sampler import Sampler
from dyno.telemetry.series import Overhead, Series
from dyno.telemetry.server import ServerCollector
from dyno.telemetry.topology import Core, cores
from dyno.telemetry.totals import (
    ProcessTotals,
    ProcessUse,
    host_context_switches,
    process_totals,
    process_use,
)
from dyno.telemetry.waits import Waits, WaitsRead

__all__ = [
    "COLLECTORS",
    "COLUMNS",
    "Collector",
    "Column",
    "Core",
    "HostCollector",
    "HostFacts",
    "Overhead",
    "ProcessTotals",
    "ProcessUse",
    "Profile",
    "Profiler",
    "ProgramRead",
    "Sampler",
    "Series",
    "ServerCollector",
    "Thread",
    "Waits",
    "WaitsRead",
    "cores",
    "host_context_switches",
    "host_facts",
    "process_totals",
    "process_use",
    "read_program",
    "threads",
]
