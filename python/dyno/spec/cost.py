"""What a plan will cost, estimated before anything runs: rows and bytes, trials and time."""

from __future__ import annotations

from dataclasses import dataclass

from dyno.spec.accesslog import ROW_BYTES, AccessLogWorkload
from dyno.spec.address import is_address
from dyno.spec.dataset import data_parts, data_settings
from dyno.spec.experiment import AnyWorkload, Column, OltpWorkload, Table
from dyno.spec.linkbench import LinkbenchWorkload
from dyno.spec.plan import Plan
from dyno.spec.slap import SlapWorkload
from dyno.spec.task import beside, undisturbed_s
from dyno.spec.tpcc import ITEM_TABLE_BYTES, WAREHOUSE_BYTES, TpccWorkload

SERVER_START_STOP_S = 3.0
UNKNOWN_TRIAL_S = 10.0
# Two cores that a server shares with its loaders: tpcc 13 MB/s, linkbench 15, narrow rows less.
LOAD_BYTES_PER_S = 15e6
# Row header, slack and null bits of the classic row formats; an estimate, not a promise.
ROW_OVERHEAD_BYTES = 10
RANDOM_DECIMAL_BYTES = 18
# A row of sbtest: id, k, c, pad. InnoDB's headers, hidden columns and free space in pages on top.
OLTP_ROW_BYTES = 4 + 4 + 120 + 60
INNODB_OVERHEAD = 1.1
# k or id with the primary key and a header, pages two thirds full from random insertion.
INDEX_ENTRY_BYTES = 20


@dataclass(frozen=True)
class Cost:
    """Time in seconds at the first and at the last look (or the budget), disk in bytes.

    `trial_s` with its server's start and stop where it has one of its own; `block_s` with all.
    `load_s` is a guess for all datasets, and is spent once. Loads that are timed are in `block_s`
    and the looks. `disk_bytes` are those on this machine.
    """

    trial_s: float
    trial_is_guessed: bool
    block_s: float
    first_look_s: float
    last_look_s: float
    dataset_bytes: int
    datasets: int
    disk_bytes: int
    load_s: float


def estimate(plan: Plan) -> Cost:
    """Time from the phases of a load or what statements and tasks are expected to take
    (`expected_trial`, scaled), disk from the tables.

    Each distinct dataset is kept as a snapshot, and arms that share it work on one copy.
    """
    protocol = plan.protocol
    expected = protocol.expected_trial
    if expected is not None:
        measured_s = expected * plan.scale
    elif plan.tasks:
        measured_s = _with_tasks_s(plan)
    else:
        measured_s = protocol.warmup + protocol.duration if plan.is_load else UNKNOWN_TRIAL_S
    starts = {"trial": plan.block_trials, "block": len(plan.arms), "never": 0}[protocol.restart]
    block_s = plan.block_trials * measured_s + starts * SERVER_START_STOP_S
    size_bytes = dataset_bytes(plan.own_workload)
    loads_s = size_bytes * len(plan.arms) / LOAD_BYTES_PER_S if protocol.loads else 0.0

    def look_s(blocks: int) -> float:
        return min(blocks * block_s + min(blocks, protocol.loads) * loads_s, protocol.budget)

    found = {
        (
            arm.server,
            str(data_settings(arm)),
            str(data_parts(plan.own_workload, arm.engine, arm.create_options)),
        )
        for arm in plan.arms
    }
    datasets = len(found)
    here = sum(not is_address(server) for server, *_ in found)
    return Cost(
        trial_s=measured_s + SERVER_START_STOP_S * (protocol.restart == "trial"),
        trial_is_guessed=expected is None and (not plan.is_load or bool(plan.tasks)),
        block_s=block_s + loads_s,
        first_look_s=look_s(plan.looks[0]),
        last_look_s=look_s(plan.looks[-1]),
        dataset_bytes=size_bytes,
        datasets=datasets,
        disk_bytes=size_bytes * here * 2,
        load_s=size_bytes * datasets / LOAD_BYTES_PER_S,
    )


def _with_tasks_s(plan: Plan) -> float:
    """Nobody knows how long tasks take: each counts as a trial of unknown length, and so does each
    attempt of a search.
    """
    protocol = plan.protocol
    tasks_s = sum(task.attempts for task in plan.tasks) * UNKNOWN_TRIAL_S
    if beside(plan.tasks):
        load_s = min(protocol.warmup + undisturbed_s(plan.tasks), protocol.duration)
    elif plan.is_load:
        load_s = protocol.warmup + protocol.duration
    else:
        load_s = UNKNOWN_TRIAL_S
    return tasks_s + load_s


def dataset_bytes(workload: AnyWorkload) -> int:
    """The size of the tables before the first trial, in bytes."""
    if isinstance(workload, OltpWorkload):
        return _oltp_bytes(workload)
    if isinstance(workload, AccessLogWorkload):
        return workload.rows * ROW_BYTES
    if isinstance(workload, SlapWorkload):
        return workload.rows * workload.row_bytes
    if isinstance(workload, TpccWorkload):
        return ITEM_TABLE_BYTES + workload.warehouses * WAREHOUSE_BYTES
    if isinstance(workload, LinkbenchWorkload):
        return workload.size_bytes
    return sum(table.rows * row_bytes(table) for table in workload.table)


def _oltp_bytes(workload: OltpWorkload) -> int:
    """Scripts that bring their own ids begin with empty tables."""
    if workload.begins_empty:
        return 0
    indexes = workload.create_secondary + workload.secondary
    row = OLTP_ROW_BYTES * INNODB_OVERHEAD + indexes * INDEX_ENTRY_BYTES
    return round(workload.tables * workload.table_size * row)


def row_bytes(table: Table) -> int:
    """The mean size of a row, in bytes."""
    if isinstance(table.columns, str):
        return ROW_BYTES
    return ROW_OVERHEAD_BYTES + sum(_column_bytes(column) for column in table.columns)


def _column_bytes(column: Column) -> int:
    match column.generate:
        case "int" | "sequence":
            return 4
        case "hex":
            return column.length or 0
        case "repeat_decimal":
            return RANDOM_DECIMAL_BYTES * (column.times_max or 0) // 2
