"""What a plan will cost, estimated before anything runs: rows and bytes, trials and time."""

from __future__ import annotations

from dataclasses import dataclass

from dyno.spec.dataset import data_settings
from dyno.spec.experiment import Column, Table
from dyno.spec.load_plan import load_workload
from dyno.spec.plan import Plan

SERVER_START_STOP_S = 3.0
UNKNOWN_TRIAL_S = 10.0
# Row header, slack and null bits of the classic row formats; an estimate, not a promise.
ROW_OVERHEAD_BYTES = 10
RANDOM_DECIMAL_BYTES = 18


@dataclass(frozen=True)
class Cost:
    """Time in seconds at the first and at the last look (or the budget), disk in bytes."""

    trial_s: float
    trial_is_guessed: bool
    first_look_s: float
    last_look_s: float
    dataset_bytes: int
    datasets: int
    disk_bytes: int


def estimate(plan: Plan) -> Cost:
    """Time from the experiment's `expected_trial` (scaled), disk from its generated columns.

    Each distinct dataset is kept as a snapshot, and arms that share it work on one copy.
    """
    expected = plan.protocol.expected_trial
    measured_s = UNKNOWN_TRIAL_S if expected is None else expected * plan.scale
    trial_s = measured_s + (SERVER_START_STOP_S if plan.protocol.fresh_server else 0.0)
    block_s = trial_s * len(plan.arms)
    dataset_bytes = sum(table.rows * row_bytes(table) for table in plan.workload.table)
    datasets = len(
        {
            (arm.server, str(data_settings(arm)), str(load_workload(plan.workload, arm.engine)))
            for arm in plan.arms
        }
    )
    budget_s = plan.protocol.budget
    return Cost(
        trial_s=trial_s,
        trial_is_guessed=expected is None,
        first_look_s=min(plan.looks[0] * block_s, budget_s),
        last_look_s=min(plan.looks[-1] * block_s, budget_s),
        dataset_bytes=dataset_bytes,
        datasets=datasets,
        disk_bytes=dataset_bytes * datasets * 2,
    )


def row_bytes(table: Table) -> int:
    """The mean size of a row, in bytes."""
    return ROW_OVERHEAD_BYTES + sum(_column_bytes(column) for column in table.columns)


def _column_bytes(column: Column) -> int:
    match column.generate:
        case "int" | "sequence":
            return 4
        case "hex":
            return column.length or 0
        case "repeat_decimal":
            return RANDOM_DECIMAL_BYTES * (column.times_max or 0) // 2
