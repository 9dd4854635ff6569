"""What the load generator may use before a load trial is void: the bounds of statistics.md 3.5.

The runner (which voids trials) and the analysis (which reports how near they came) both call this.
"""

from __future__ import annotations

from dataclasses import dataclass

from dyno.spec.placement import Sets
from dyno.spec.summary import PhaseSummary

# For cores that the server needs too, and for cores of its own.
SHARED_MAX = 0.5
OWN_MAX = 0.8
LAG_MIN_NS = 1_000_000
LAG_SHARE_MAX = 0.05


@dataclass(frozen=True)
class Room:
    """The CPUs that the generator may use, None if their number wasn't recorded, and the share of
    their time above which a closed load is void.
    """

    cpus: int | None
    share_max: float

    @classmethod
    def of(cls, sets: Sets | None, *, host_cpus: int | None) -> Room:
        """Its own CPUs, or all of the host."""
        return cls(len(sets.generator), OWN_MAX) if sets else cls(host_cpus, SHARED_MAX)

    @classmethod
    def on_host(cls, cpus: int | None, *, has_server: bool) -> Room:
        """All CPUs of a load host."""
        return cls(cpus, SHARED_MAX if has_server else OWN_MAX)

    def share(self, phase: PhaseSummary) -> float | None:
        """The share of their time that it used during the phase; None if unknown."""
        if phase.client is None or not self.cpus or phase.elapsed_s <= 0:
            return None
        return phase.client.cpu_s / (phase.elapsed_s * self.cpus)


def judged_by_lag(phase: PhaseSummary, *, disturbed: bool) -> bool:
    """Whether lateness can void it: for an open load that isn't `disturbed` by tasks. Tasks take
    time from everything on the host, so lateness is then a result.
    """
    return phase.model == "open" and not disturbed


def lag_max_ns(phase: PhaseSummary) -> float:
    """How late 1 % of the ops may be sent although a connection was free.

    Relative to the median latency of the ok ops of the most common kind.
    """
    ok = [op for op in phase.ops if op.outcome == "ok"]
    p50_ns = max(ok, key=lambda op: op.count).p50_ns if ok else 0
    return max(LAG_MIN_NS, LAG_SHARE_MAX * p50_ns)
