"""What each load host of a trial did, and what it may use before the trial is void."""

from __future__ import annotations

from dyno.spec.summary import PhaseSummary
from dyno.store.part import Stored


class NetworkRead(Stored):
    """The way from a load host to the server's: `echoes` round trips of 32 bytes, median and p99 in
    microseconds, and the bytes per second of one TCP stream, None if that is unknown.
    """

    round_trip_us: float
    round_trip_p99_us: float
    echoes: int
    bytes_per_s: float | None = None


class LoadHostRead(Stored):
    """One host of several, or the only one that isn't the server's. `cpus`: how many it may use;
    `is_here`: it is the server's own machine under another address; `measured`: its part of the
    measure phase, None if there was none.

    `late_us`: how long after the instant that was agreed on it began to measure, by its own clock;
    `clock_bound_us`: by how much that clock may be wrong; `network`: as it was before the block;
    `cpu_busy_pct`: how busy all its CPUs were in the measure phase; `agent_cpu_share_pct`: what its
    agent took of one core.
    """

    name: str
    cpus: int | None = None
    is_here: bool = False
    measured: PhaseSummary | None = None
    late_us: float | None = None
    clock_bound_us: float | None = None
    network: NetworkRead | None = None
    cpu_busy_pct: float | None = None
    agent_cpu_share_pct: float | None = None
