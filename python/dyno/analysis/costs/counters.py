"""Status counters and host figures of each op.

For statements: around each execution. For a load: over the measure phase, per op, at the point
where the arms differ most. Which of them moved with a result is decided in `moved`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import median

import polars as pl

from dyno.analysis.costs.model import Counters
from dyno.analysis.costs.of_trial import status_per_op
from dyno.analysis.costs.per_op import status_known
from dyno.analysis.load.trial import LoadTrial
from dyno.analysis.samples import Samples
from dyno.analysis.verdicts.model import Compared
from dyno.spec.events import StatementRun
from dyno.spec.metrics import METRICS
from dyno.spec.plan import Plan
from dyno.spec.server_ref import ServerRef
from dyno.store.run import RunFolder
from dyno.store.trial import Trial

# Counters that say how a statement was executed and what it cost; others are kept in trial.json.
SHOWN_PREFIXES = (
    "Aria_pagecache_",
    "Created_tmp_",
    "Handler_",
    "Innodb_buffer_pool_read",
    "Innodb_data_",
    "Innodb_rows_",
    "Key_",
    "Select_",
    "Sort_",
)
LOAD_PREFIXES = (
    *SHOWN_PREFIXES,
    "Binlog_",
    "Bytes_",
    "Innodb_buffer_pool_",
    "Innodb_dblwr_",
    "Innodb_log_",
    "Innodb_os_log_",
    "Innodb_pages_",
    "Innodb_row_lock_",
    "Table_locks_",
)
HOST_COLUMNS = (
    "host_block_in_kib_per_s",
    "host_block_out_kib_per_s",
    "host_cpu_user_pct",
    "host_cpu_system_pct",
    "host_cpu_iowait_pct",
    "host_cpu_steal_pct",
    "host_procs_running",
    "host_procs_blocked",
    "host_context_switches_per_s",
    "server_cpu_user_pct",
    "server_cpu_system_pct",
    "server_write_bytes_per_s",
    "server_read_bytes_per_s",
)
# Sampled once a second: a shorter statement can't be told from its neighbours.
SHORTEST_SEEN_S = 1.0


def count(
    plan: Plan, folder: RunFolder, samples: Samples, compared: list[Compared]
) -> list[Counters]:
    """Medians over the trials of each arm and op, in the plan's order."""
    if plan.is_load:
        return list(_count_load(plan, folder, samples, point=most_apart(plan, compared)))
    return _count_statements(plan, folder, samples)


def _count_statements(plan: Plan, folder: RunFolder, samples: Samples) -> list[Counters]:
    status: dict[tuple[str, str], list[dict[str, int | float]]] = {}
    host: dict[tuple[str, str], list[dict[str, float]]] = {}
    for trial in samples.ok:
        telemetry = folder.telemetry(trial.number)
        for run in measured_runs(trial):
            key = (trial.arm, run.statement)
            status.setdefault(key, []).append(_status(run))
            seen = _host(trial, telemetry, begin_s=run.t_s, elapsed_s=run.elapsed_ns / 1e9)
            host.setdefault(key, []).append(seen)
    known = _known(plan, status)
    return [
        Counters(
            arm=arm.name,
            op=op,
            status=_medians(status[arm.name, op], known[arm.server]),
            host={name: _median_of(host[arm.name, op], name) for name in HOST_COLUMNS},
        )
        for op in plan.ops
        for arm in plan.arms
        if (arm.name, op) in status
    ]


def most_apart(plan: Plan, compared: list[Compared]) -> int:
    """The point with the largest difference in throughput; the highest level if there is none."""
    different = [
        c for c in compared if METRICS[c.metric].is_rate and c.state == "different" and c.ratio
    ]
    if different:
        return max(different, key=lambda c: abs(math.log(c.ratio.value if c.ratio else 1.0))).point
    return max(range(len(plan.points)), key=lambda point: plan.points[point].level)


def _count_load(
    plan: Plan, folder: RunFolder, samples: Samples, *, point: int
) -> Iterator[Counters]:
    """One entry per arm: what the whole phase moved can't be attributed to op kinds."""
    moved_anywhere = status_known(plan, samples)
    for arm in plan.arms:
        known = {n for n in moved_anywhere.get(arm.server, set()) if n.startswith(LOAD_PREFIXES)}
        loads = samples.at(arm.name, point)
        status = [found for load in loads if (found := status_per_op(load.trial, known))]
        host = [_load_host(load, folder) for load in loads]
        if loads and len(plan.ops) == 1:
            yield Counters(
                arm=arm.name,
                op=plan.ops[0],
                point=point,
                status=_medians(status, sorted(known)) if status else {},
                host={name: _median_of(host, name) for name in HOST_COLUMNS},
            )


def _load_host(load: LoadTrial, folder: RunFolder) -> dict[str, float]:
    telemetry = folder.telemetry(load.trial.number)
    elapsed_s = load.intervals * load.width_s
    return _host(load.trial, telemetry, begin_s=load.begin_s, elapsed_s=elapsed_s)


def measured_runs(trial: Trial) -> Iterator[StatementRun]:
    """The good executions of a trial's measure phase."""
    return (run for run in trial.statements if run.phase == "measure" and run.outcome == "ok")


def _status(run: StatementRun) -> dict[str, int | float]:
    """The session's deltas, and the server's for counters that have no session value."""
    deltas = (run.global_status or {}) | (run.session_status or {})
    return {name: value for name, value in deltas.items() if name.startswith(SHOWN_PREFIXES)}


def _known(
    plan: Plan, status: dict[tuple[str, str], list[dict[str, int | float]]]
) -> dict[ServerRef, list[str]]:
    """The counters that each server has: those that moved on any of its arms."""
    found: dict[ServerRef, set[str]] = {arm.server: set() for arm in plan.arms}
    for (arm, _), deltas in status.items():
        found[plan.arm(arm).server].update(name for delta in deltas for name in delta)
    return {server: sorted(names) for server, names in found.items()}


def _medians(deltas: list[dict[str, int | float]], known: list[str]) -> dict[str, float]:
    """A counter that the server has and that didn't move is absent from a delta: it is 0."""
    return {name: median(delta.get(name, 0) for delta in deltas) for name in known}


def _median_of(rows: list[dict[str, float]], name: str) -> float | None:
    values = [row[name] for row in rows if name in row]
    return median(values) if values else None


def _host(
    trial: Trial, telemetry: pl.DataFrame | None, *, begin_s: float, elapsed_s: float
) -> dict[str, float]:
    """Rates while something ran, weighted by how much of each sample's second it filled."""
    if telemetry is None or trial.load_unix_ms is None or elapsed_s < SHORTEST_SEEN_S:
        return {}
    begin_ms = trial.load_unix_ms + begin_s * 1000
    end_ms = begin_ms + elapsed_s * 1000
    sample_end = pl.col("unix_ms")
    overlap_ms = (
        pl.min_horizontal(sample_end, pl.lit(end_ms))
        - pl.max_horizontal(sample_end.shift(1), pl.lit(begin_ms))
    ).clip(lower_bound=0)
    weighted = telemetry.with_columns(overlap_ms.fill_null(0).alias("overlap_ms")).filter(
        pl.col("overlap_ms") > 0
    )
    found: dict[str, float] = {}
    for name in HOST_COLUMNS:
        if name not in weighted.columns:
            continue
        known = weighted.select(name, "overlap_ms").drop_nulls().rows()
        total_ms = sum(weight_ms for _, weight_ms in known)
        if total_ms:
            found[name] = sum(value * weight_ms for value, weight_ms in known) / total_ms
    return found
