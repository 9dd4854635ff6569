"""Whether the network between load hosts and servers stayed as it was, and had room."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

from dyno.analysis.fairness.model import Fairness
from dyno.analysis.load.hosts import networks
from dyno.spec.units import format_bytes, plural
from dyno.store.trial import Trial

NAME = "network"
MOVED_MAX = 0.2
USED_MAX = 0.5


def checks(trials: Sequence[Trial]) -> Iterator[Fairness]:
    """One check; none where no load host is apart from the servers' machine."""
    apart = [host for trial in trials for host in trial.load_hosts if not host.is_here]
    names = list(dict.fromkeys(host.name for host in apart))
    if not names:
        return
    blocks = max(len(networks(trials, name)) for name in names)
    if not blocks:
        says = "The state of the network between the hosts is unknown."
        yield Fairness(name=NAME, check="unknown", says=says)
        return
    moved = [line for name in names for line in _moved(trials, name)]
    used = list(_used(trials, names))
    if moved or used:
        says = "The network between the hosts changed, or was near its limit."
        yield Fairness(name=NAME, check="warning", says=says, details=moved + used)
    else:
        says = (
            f"Measured before {plural(blocks, 'block')}, the network between the hosts stayed as "
            "it was, and no trial used half of it."
        )
        yield Fairness(name=NAME, check="ok", says=says)


def _moved(trials: Sequence[Trial], name: str) -> Iterator[str]:
    """The blocks before which a round trip took another time than usual."""
    found = networks(trials, name)
    if not found:
        return
    usual_us = median(way.round_trip_us for way in found.values())
    for block, way in found.items():
        if abs(way.round_trip_us / usual_us - 1) > MOVED_MAX:
            yield (
                f"{name}, block {block + 1}: a round trip took {way.round_trip_us:.0f} µs, "
                f"{usual_us:.0f} µs in the median of {plural(len(found), 'block')}"
            )


def _used(trials: Sequence[Trial], names: Sequence[str]) -> Iterator[str]:
    """The trials that used over half of what one stream could carry, either way."""
    for trial in trials:
        most = max(
            (
                host.network.bytes_per_s
                for host in trial.load_hosts
                if host.name in names and host.network and host.network.bytes_per_s
            ),
            default=None,
        )
        phase = trial.summary.phase("measure") if trial.summary else None
        if most is None or phase is None or not phase.elapsed_s:
            continue
        status = trial.status_by_phase.get("measure", {})
        moved = max(status.get("Bytes_sent", 0), status.get("Bytes_received", 0))
        used = moved / phase.elapsed_s
        if used > USED_MAX * most:
            yield (
                f"trial {trial.number}, {trial.arm}: {format_bytes(used)}/s of "
                f"{format_bytes(most)}/s that one stream could carry"
            )
