"""How near the load generator came to being the limit. Reads only; the runner voids trials."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dyno.analysis.load.model import GeneratorRead
from dyno.analysis.load.trial import measured
from dyno.analysis.samples import Samples
from dyno.analysis.values import median_of_known
from dyno.spec.generator import Room, judged_by_lag, lag_max_ns
from dyno.spec.plan import Plan
from dyno.spec.summary import PhaseSummary
from dyno.spec.task import beside_load
from dyno.store.trial import Trial


def generator(plan: Plan, samples: Samples, host: Mapping[str, Any]) -> Iterator[GeneratorRead]:
    """By point and arm, void trials too; none for statements."""
    if not plan.is_load:
        return
    cores = host.get("cores_logical")
    disturbed = bool(beside_load(plan.tasks))
    for point in range(len(plan.points)):
        for arm in plan.arms:
            trials = [
                trial
                for trial in samples.trials
                if (trial.arm, trial.point, trial.status) == (arm.name, point, "ok")
            ]
            if not trials:
                continue
            phases = [
                (phase, room_of(trial, cores))
                for trial in trials
                if (phase := measured(trial)) is not None
            ]
            yield GeneratorRead(
                arm=arm.name,
                point=point,
                cpu_share_pct=median_of_known(
                    [cpu_share_pct(phase, room) for phase, room in phases]
                ),
                send_lag_p99_ms=median_of_known([_lag_ms(phase) for phase, _ in phases]),
                headroom=median_of_known(
                    [_headroom(phase, room, disturbed) for phase, room in phases]
                ),
                void_trials=sum(trial.void is not None for trial in trials),
            )


def room_of(trial: Trial, host_cpus: int | None) -> Room:
    """The CPUs that the generator was allowed to use in a trial."""
    sets = trial.placement.sets if trial.placement else None
    return Room.of(sets, host_cpus=host_cpus)


def cpu_share_pct(phase: PhaseSummary, room: Room) -> float | None:
    """The generator's CPU time as a percentage of what it was allowed to use during the phase."""
    share = room.share(phase)
    return None if share is None else 100 * share


def _lag_ms(phase: PhaseSummary) -> float | None:
    return phase.send_lag.p99_ns / 1e6 if phase.send_lag else None


def _headroom(phase: PhaseSummary, room: Room, disturbed: bool) -> float | None:
    """The bound over what was seen: lag or CPU, whichever could void the trial."""
    if judged_by_lag(phase, disturbed=disturbed):
        if phase.send_lag is None or not phase.send_lag.p99_ns:
            return None
        return lag_max_ns(phase) / phase.send_lag.p99_ns
    share = room.share(phase)
    return room.share_max / share if share else None
