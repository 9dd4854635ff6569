"""How near the load generator itself came to being the limit. Reads; voiding is the runner's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import median
from typing import Any

from dyno.analysis.load_trial import measured
from dyno.analysis.model import GeneratorRead
from dyno.analysis.samples import Samples
from dyno.spec.plan import Plan
from dyno.spec.summary import PhaseSummary

# The bounds at which a trial becomes void; the runner's are the same (statistics.md 3.5).
CPU_SHARE_MOST_PCT = 50.0
LAG_LEAST_NS = 1_000_000
LAG_SHARE_MOST = 0.05


def generator(plan: Plan, samples: Samples, host: Mapping[str, Any]) -> Iterator[GeneratorRead]:
    """By point and arm, void trials too; none for statements."""
    if not plan.is_load:
        return
    cores = host.get("cores_logical")
    for point in range(len(plan.points)):
        for arm in plan.arms:
            trials = [
                trial
                for trial in samples.trials
                if (trial.arm, trial.point, trial.status) == (arm.name, point, "ok")
            ]
            phases = [phase for trial in trials if (phase := measured(trial)) is not None]
            if not trials:
                continue
            yield GeneratorRead(
                arm=arm.name,
                point=point,
                cpu_share_pct=_median([cpu_share_pct(phase, cores) for phase in phases]),
                send_lag_p99_ms=_median([_lag_ms(phase) for phase in phases]),
                headroom=_median([_headroom(phase, cores) for phase in phases]),
                void_trials=sum(trial.void is not None for trial in trials),
            )


def cpu_share_pct(phase: PhaseSummary, cores: int | None) -> float | None:
    """The generator's CPU time per cent of that of all cores while the phase lasted."""
    if phase.client is None or not cores or phase.elapsed_s <= 0:
        return None
    return 100 * phase.client.cpu_s / (phase.elapsed_s * cores)


def _lag_ms(phase: PhaseSummary) -> float | None:
    return phase.send_lag.p99_ns / 1e6 if phase.send_lag else None


def _headroom(phase: PhaseSummary, cores: int | None) -> float | None:
    """The bound over what was seen: of the lag where the load was open, else of the CPU."""
    if phase.model == "open":
        if phase.send_lag is None or not phase.send_lag.p99_ns:
            return None
        ok = [op for op in phase.ops if op.outcome == "ok"]
        p50_ns = max(ok, key=lambda op: op.count).p50_ns if ok else 0
        return max(LAG_LEAST_NS, LAG_SHARE_MOST * p50_ns) / phase.send_lag.p99_ns
    share = cpu_share_pct(phase, cores)
    return CPU_SHARE_MOST_PCT / share if share else None


def _median(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None
