"""The hosts that made the load: the way from each to the servers, and how far apart they began."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dyno.analysis.load.model import LoadHostSeen
from dyno.analysis.values import greatest_of_known, median_of_known
from dyno.store.load_host import LoadHostRead, NetworkRead
from dyno.store.load_parts import load_parts
from dyno.store.trial import Trial


def load_hosts(trials: Sequence[Trial]) -> Iterator[LoadHostSeen]:
    """Each by its name, in the order of the trials; none where the servers' own host made it."""
    for name in dict.fromkeys(host.name for trial in trials for host in trial.load_hosts):
        seen = [host for trial in trials for host in trial.load_hosts if host.name == name]
        parts = [
            part
            for trial in trials
            for part in load_parts(trial, host_cpus=None)
            if part.host == name
        ]
        ways = networks(trials, name).values()
        yield LoadHostSeen(
            name=name,
            blocks=len(ways),
            round_trip_us=median_of_known(way.round_trip_us for way in ways),
            round_trip_p99_us=median_of_known(way.round_trip_p99_us for way in ways),
            bytes_per_s=median_of_known(way.bytes_per_s for way in ways),
            late_us=greatest_of_known(_late_us(host) for host in seen),
            cpu_busy_pct=median_of_known(host.cpu_busy_pct for host in seen),
            generator_cpu_pct=median_of_known(part.cpu_share_pct for part in parts),
            agent_cpu_share_pct=median_of_known(host.agent_cpu_share_pct for host in seen),
        )


def networks(trials: Sequence[Trial], name: str) -> dict[int, NetworkRead]:
    """The way from a host, as it was before each block that has it."""
    return {
        trial.block: host.network
        for trial in trials
        for host in trial.load_hosts
        if host.name == name and host.network is not None
    }


def _late_us(host: LoadHostRead) -> float | None:
    """How late it may have begun, its clock's error included."""
    if host.late_us is None or host.clock_bound_us is None:
        return None
    return host.late_us + host.clock_bound_us
