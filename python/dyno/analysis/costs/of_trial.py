"""What one op cost in one trial: totals of the measure phase over the ops that succeeded."""

from __future__ import annotations

from collections.abc import Mapping

from dyno.analysis.load.trial import MEASURE, measured
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

Costs = dict[str, float | None]


def status_per_op(trial: Trial, known: set[str]) -> dict[str, float]:
    """The known counters' deltas over the measure phase, per ok op; {} if not observed."""
    phase, deltas = measured(trial), trial.status_by_phase.get(MEASURE)
    if phase is None or not phase.ok or deltas is None:
        return {}
    return {name: deltas.get(name, 0) / phase.ok for name in known}


def costs_of(trial: Trial, known: set[str]) -> Costs | None:
    """All figures by key, None where unknown; `known`: the server's status counters. None if no op
    succeeded.
    """
    phase = measured(trial)
    if phase is None or not phase.ok:
        return None
    cost = trial.phases.get(MEASURE, PhaseCost())
    found = {**_server(cost, phase.ok), **_load(phase)}
    status = status_per_op(trial, known)
    return {**found, **{key: status.get(name) for key, name in STATUS.items()}}


def _server(cost: PhaseCost, ops: int) -> Costs:
    totals: Mapping[str, float | None] = {
        "server_cpu_us_per_op": None if cost.cpu_s is None else cost.cpu_s * 1e6,
        "context_switches_per_op": cost.context_switches,
        "read_kb_per_op": None if cost.read_bytes is None else cost.read_bytes / 1000,
        "written_kb_per_op": None if cost.write_bytes is None else cost.write_bytes / 1000,
    }
    return {key: None if total is None else total / ops for key, total in totals.items()}


def _load(phase: PhaseSummary) -> Costs:
    return {
        "client_cpu_us_per_op": phase.client.cpu_s * 1e6 / phase.ok if phase.client else None,
        "statements_per_op": phase.statements.total / phase.ok if phase.statements else None,
        "retries_per_1000_ops": 1000 * sum(phase.retries.values()) / phase.ok,
    }
