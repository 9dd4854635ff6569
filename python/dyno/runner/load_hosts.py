"""What is kept of the hosts that made a trial's load."""

from __future__ import annotations

from dyno.hosts import Elsewhere
from dyno.runner.record import Record
from dyno.store.load_host import LoadHostRead


def load_hosts(hosts: Elsewhere | None, record: Record) -> list[LoadHostRead]:
    """Each of them, with what it did; none if this host made the load."""
    found = []
    for host in hosts.hosts if hosts is not None else ():
        part = record.load.by_host.get(host.name) if record.load is not None else None
        found.append(
            LoadHostRead(
                name=host.name,
                cpus=host.cpus,
                is_here=host.is_here,
                measured=part.phase if part else None,
                late_us=_us(part.late_ns) if part else None,
                clock_bound_us=_us(part.clock_bound_ns) if part else None,
                network=hosts.networks.get(host.name) if hosts else None,
            )
        )
    return found


def _us(ns: float | None) -> float | None:
    return None if ns is None else ns / 1000
