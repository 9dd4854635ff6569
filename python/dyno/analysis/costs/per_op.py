"""What one op cost, at each point: CPU, I/O, statements and rows, from totals of the measure phase.

A total over its ops, so nothing is sampled; medians over the trials. None where unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import median

from dyno.analysis.costs.model import PerOp
from dyno.analysis.load.trial import MEASURE, measured
from dyno.analysis.samples import Samples
from dyno.analysis.values import median_of_known
from dyno.spec.plan import Plan
from dyno.spec.server_ref import ServerRef
from dyno.spec.summary import PhaseSummary
from dyno.store.trial import PhaseCost, Trial

# Figures that are a status counter per op.
STATUS = {
    "fsyncs_per_op": "Innodb_data_fsyncs",
    "bytes_sent_per_op": "Bytes_sent",
    "rows_read_per_op": "Innodb_rows_read",
}
KEYS = (
    "server_cpu_us_per_op",
    "client_cpu_us_per_op",
    "context_switches_per_op",
    "read_kb_per_op",
    "written_kb_per_op",
    "fsyncs_per_op",
    "statements_per_op",
    "bytes_sent_per_op",
    "rows_read_per_op",
    "retries_per_1000_ops",
)

Figures = dict[str, float | None]


def per_op(plan: Plan, samples: Samples) -> Iterator[PerOp]:
    """By point and arm; none for statements."""
    if not plan.is_load:
        return
    moved = status_known(plan, samples)
    for point in range(len(plan.points)):
        for arm in plan.arms:
            known = moved.get(arm.server, set())
            found = [
                figures
                for trial in samples.ok
                if (trial.arm, trial.point) == (arm.name, point)
                and (figures := _figures(trial, known)) is not None
            ]
            if found:
                yield PerOp(
                    arm=arm.name,
                    point=point,
                    figures={
                        key: median_of_known(figures[key] for figures in found) for key in KEYS
                    },
                )


def server_cpu_us(samples: Samples, arm: str, point: int) -> dict[int, float]:
    """The server's CPU time per op, by block; no block where it is unknown."""
    found: dict[int, list[float]] = {}
    for trial in samples.ok:
        if (trial.arm, trial.point) == (arm, point):
            figures = _figures(trial, set())
            value = figures["server_cpu_us_per_op"] if figures else None
            if value:
                found.setdefault(trial.block, []).append(value)
    return {block: median(values) for block, values in found.items()}


def status_known(plan: Plan, samples: Samples) -> dict[ServerRef, set[str]]:
    """The status counters that each server has: those that moved in any of its trials.

    Only differences other than 0 are stored. So a counter that is absent from a trial is 0 if the
    server has it, and unknown if it was never seen to move.
    """
    found: dict[ServerRef, set[str]] = {}
    for trial in samples.ok:
        deltas = trial.status_by_phase.get(MEASURE, {})
        found.setdefault(plan.arm(trial.arm).server, set()).update(deltas)
    return found


def status_per_op(trial: Trial, known: set[str]) -> dict[str, float]:
    """The known counters' deltas over the measure phase, per ok op; {} if not observed."""
    phase, deltas = measured(trial), trial.status_by_phase.get(MEASURE)
    if phase is None or not phase.ok or deltas is None:
        return {}
    return {name: deltas.get(name, 0) / phase.ok for name in known}


def _figures(trial: Trial, known: set[str]) -> Figures | None:
    phase = measured(trial)
    if phase is None or not phase.ok:
        return None
    cost = trial.phases.get(MEASURE, PhaseCost())
    found = {**_server(cost, phase.ok), **_load(phase)}
    status = status_per_op(trial, known)
    return {**found, **{key: status.get(name) for key, name in STATUS.items()}}


def _server(cost: PhaseCost, ops: int) -> Figures:
    totals: Mapping[str, float | None] = {
        "server_cpu_us_per_op": None if cost.cpu_s is None else cost.cpu_s * 1e6,
        "context_switches_per_op": cost.context_switches,
        "read_kb_per_op": None if cost.read_bytes is None else cost.read_bytes / 1000,
        "written_kb_per_op": None if cost.write_bytes is None else cost.write_bytes / 1000,
    }
    return {key: None if total is None else total / ops for key, total in totals.items()}


def _load(phase: PhaseSummary) -> Figures:
    return {
        "client_cpu_us_per_op": phase.client.cpu_s * 1e6 / phase.ok if phase.client else None,
        "statements_per_op": phase.statements.total / phase.ok if phase.statements else None,
        "retries_per_1000_ops": 1000 * sum(phase.retries.values()) / phase.ok,
    }
