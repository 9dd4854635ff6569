"""When a load trial measured its own load generator: then it gives no figure. Pure.

Not about failures: a void trial ran to its end, but what it measured was not the server.
"""

from __future__ import annotations

from collections.abc import Sequence

from dyno.spec.events import PhaseSummary
from dyno.spec.generator import Room, judged_by_lag, lag_max_ns
from dyno.store.load_host import LoadHostRead

# Ops of the first instants would be those of some hosts alone.
APART_MAX_US = 10_000.0


def generator_bound(phase: PhaseSummary, room: Room, *, disturbed: bool = False) -> str | None:
    """Why the phase gives no figure, as "generator-bound: …"; None if it gives one.

    `disturbed`: tasks run beside it, so that only the generator's own CPU use can void it. What
    wasn't recorded can't void a trial.
    """
    if judged_by_lag(phase, disturbed=disturbed):
        return _sent_late(phase)
    return _too_busy(phase, room)


def _too_busy(phase: PhaseSummary, room: Room) -> str | None:
    """On shared cores the server gets what the generator leaves; on its own, ops wait for it."""
    share = room.share(phase)
    if share is None or share <= room.share_max:
        return None
    return (
        f"generator-bound: the load generator took {share:.0%} of the CPU time that it may use, "
        f"more than {room.share_max:.0%}"
    )


def _sent_late(phase: PhaseSummary) -> str | None:
    """Open load: ops that were sent late though a connection was free (statistics.md 3.5)."""
    if phase.send_lag is None or not phase.send_lag.count:
        return None
    limit_ns = lag_max_ns(phase)
    if phase.send_lag.p99_ns <= limit_ns:
        return None
    return (
        f"generator-bound: 1 % of the ops were sent {phase.send_lag.p99_ns / 1e6:.2f} ms late "
        f"or more though a connection was free; the limit is {limit_ns / 1e6:.2f} ms"
    )


def began_apart(hosts: Sequence[LoadHostRead]) -> str | None:
    """Why hosts that began to measure at different instants give no figure; None if they do."""
    known = [
        (host.late_us, host.clock_bound_us)
        for host in hosts
        if host.late_us is not None and host.clock_bound_us is not None
    ]
    if len(known) < 2:
        return None
    last_us = max(late_us + bound_us for late_us, bound_us in known)
    apart_us = last_us - min(late_us - bound_us for late_us, bound_us in known)
    if apart_us <= APART_MAX_US:
        return None
    return (
        f"the load hosts began to measure up to {apart_us / 1000:.1f} ms apart, more than "
        f"{APART_MAX_US / 1000:g} ms"
    )
