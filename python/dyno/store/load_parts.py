"""Who made a trial's load, and what it may use before the trial is void."""

from __future__ import annotations

from dataclasses import dataclass

from dyno.spec.generator import Room
from dyno.spec.summary import PhaseSummary
from dyno.store.trial import Trial


@dataclass(frozen=True)
class LoadPart:
    """One dynoload's measure phase. `host`: its name, "" for the server's own."""

    host: str
    phase: PhaseSummary
    room: Room

    @property
    def cpu_share_pct(self) -> float | None:
        """Its CPU time as a percentage of what it may use during the phase; None if unknown."""
        share = self.room.share(self.phase)
        return None if share is None else 100 * share


def load_parts(trial: Trial, *, host_cpus: int | None) -> list[LoadPart]:
    """All of a trial; none if it has no measure phase. `host_cpus`: the CPUs of the server's host,
    None if that isn't known.
    """
    if trial.load_hosts:
        return [
            LoadPart(host.name, host.measured, Room.on_host(host.cpus, has_server=host.is_here))
            for host in trial.load_hosts
            if host.measured is not None
        ]
    phase = trial.summary.phase("measure") if trial.summary else None
    sets = trial.placement.sets if trial.placement else None
    return [LoadPart("", phase, Room.of(sets, host_cpus=host_cpus))] if phase else []
