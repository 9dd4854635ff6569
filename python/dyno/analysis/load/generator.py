"""How near the load generator came to being the limit. Reads only; the runner voids trials."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dyno.analysis.load.model import GeneratorRead
from dyno.analysis.samples import Samples
from dyno.analysis.values import greatest_of_known, least_of_known, median_of_known
from dyno.spec.generator import judged_by_lag, lag_max_ns
from dyno.spec.plan import Plan
from dyno.spec.summary import PhaseSummary
from dyno.spec.task import beside_load
from dyno.store.load_parts import LoadPart, load_parts


def generator(plan: Plan, samples: Samples, host: Mapping[str, Any]) -> Iterator[GeneratorRead]:
    """By point and arm, void trials too; none for statements. Of several load hosts the one that is
    nearest to its limit counts.
    """
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
            by_trial = [load_parts(trial, host_cpus=cores) for trial in trials]
            yield GeneratorRead(
                arm=arm.name,
                point=point,
                cpu_share_pct=median_of_known(
                    greatest_of_known(part.cpu_share_pct for part in parts) for parts in by_trial
                ),
                send_lag_p99_ms=median_of_known(
                    greatest_of_known(_lag_ms(part.phase) for part in parts) for parts in by_trial
                ),
                headroom=median_of_known(
                    least_of_known(_headroom(part, disturbed) for part in parts)
                    for parts in by_trial
                ),
                void_trials=sum(trial.void is not None for trial in trials),
            )


def _lag_ms(phase: PhaseSummary) -> float | None:
    return phase.send_lag.p99_ns / 1e6 if phase.send_lag else None


def _headroom(part: LoadPart, disturbed: bool) -> float | None:
    """The bound over what was seen: lag or CPU, whichever could void the trial."""
    phase = part.phase
    if judged_by_lag(phase, disturbed=disturbed):
        if phase.send_lag is None or not phase.send_lag.p99_ns:
            return None
        return lag_max_ns(phase) / phase.send_lag.p99_ns
    share = part.room.share(phase)
    return part.room.share_max / share if share else None
