"""What is kept of the hosts that made a trial's load."""

from __future__ import annotations

from pathlib import Path

from dyno.hosts.elsewhere import Elsewhere, LoadHost
from dyno.hosts.result import HostPart
from dyno.runner.record import Record
from dyno.store.load_host import LoadHostRead
from dyno.store.run import write_parquet


def load_hosts(hosts: Elsewhere | None, record: Record) -> list[LoadHostRead]:
    """Each of them, with what it did; none if this host made the load."""
    if hosts is None:
        return []
    parts = record.load.by_host if record.load is not None else {}
    return [_read(hosts, host, parts.get(host.name)) for host in hosts.hosts]


def _read(hosts: Elsewhere, host: LoadHost, part: HostPart | None) -> LoadHostRead:
    network = hosts.networks.get(host.name)
    if part is None:
        return LoadHostRead(name=host.name, cpus=host.cpus, is_here=host.is_here, network=network)
    watched = part.watched
    return LoadHostRead(
        name=host.name,
        cpus=host.cpus,
        is_here=host.is_here,
        network=network,
        measured=part.phase,
        late_us=_us(part.late_ns),
        clock_bound_us=_us(part.clock_bound_ns),
        cpu_busy_pct=watched.busy_pct(part.phase.elapsed_s) if watched else None,
        agent_cpu_share_pct=watched.agent_cpu_share_pct if watched else None,
    )


def store_watched(partial: Path, record: Record) -> None:
    """What each host saw of itself, a file each."""
    for name, part in record.load.by_host.items() if record.load is not None else ():
        if part.watched is not None:
            write_parquet(partial / f"telemetry-{name}.parquet", part.watched.series.frame)


def _us(ns: float | None) -> float | None:
    return None if ns is None else ns / 1000
