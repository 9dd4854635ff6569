"""Status counters and host figures beside each op, and which of them moved with a result.

A counter that moved is a reason to look at, never a proof; that is left to the reader.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

import polars as pl

from dyno.analysis.model import Compared, Counters, Moved
from dyno.analysis.samples import Samples
from dyno.spec.events import StatementRun
from dyno.spec.plan import Plan
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
MOVED_FACTOR = 1.5
MOVED_FLOOR = 100
MOVED_MOST = 6


def count(plan: Plan, folder: RunFolder, samples: Samples) -> list[Counters]:
    """Medians over the trials of each arm and op, in the plan's order."""
    status: dict[tuple[str, str], list[dict[str, int | float]]] = {}
    host: dict[tuple[str, str], list[dict[str, float]]] = {}
    for trial in samples.ok:
        telemetry = folder.telemetry(trial.number)
        for run in _measured(trial):
            key = (trial.arm, run.statement)
            status.setdefault(key, []).append(_status(run))
            host.setdefault(key, []).append(_host(trial, run, telemetry))
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


def status_of(plan: Plan, samples: Samples, *, arm: str, op: str, counter: str) -> list[float]:
    """A counter's delta in each measured run of an op on an arm.

    Only deltas that aren't 0 are stored. A counter that moved somewhere on this arm's server is 0
    where it is absent; one that never did may as well not exist there: then the list is empty.
    """
    server = plan.arm(arm).server
    runs = [
        (trial.arm, run, (run.global_status or {}) | (run.session_status or {}))
        for trial in samples.ok
        for run in _measured(trial)
        if plan.arm(trial.arm).server == server and run.session_status is not None
    ]
    if not any(counter in deltas for _, _, deltas in runs):
        return []
    return [
        float(deltas.get(counter, 0))
        for name, run, deltas in runs
        if name == arm and run.statement == op
    ]


def moved(counters: list[Counters], compared: list[Compared]) -> list[Moved]:
    """For each difference between arms on one op, the counters that differ most."""
    by_key = {(c.arm, c.op): c.status for c in counters}
    found: list[Moved] = []
    for result in compared:
        op = result.numerator_op
        if result.state != "different" or op != result.denominator_op:
            continue  # Between ops of different size every counter moves.
        ours = by_key.get((result.numerator_arm, op), {})
        theirs = by_key.get((result.denominator_arm, op), {})
        apart = [
            (_apart(ours.get(name, 0), theirs.get(name, 0)), name)
            for name in sorted(ours.keys() | theirs.keys())
        ]
        for factor, name in sorted(apart, key=lambda pair: -pair[0])[:MOVED_MOST]:
            if factor >= MOVED_FACTOR:
                found.append(
                    Moved(
                        op=op,
                        arm=result.numerator_arm,
                        baseline=result.denominator_arm,
                        counter=name,
                        value=ours.get(name, 0),
                        baseline_value=theirs.get(name, 0),
                    )
                )
    return found


def _apart(a: float, b: float) -> float:
    """How far apart two counts are, as a factor; small counts are never far apart."""
    if max(abs(a), abs(b)) < MOVED_FLOOR:
        return 1.0
    return (max(a, b) + 1) / (max(min(a, b), 0) + 1)


def _measured(trial: Trial) -> Iterator[StatementRun]:
    return (run for run in trial.statements if run.phase == "measure" and run.outcome == "ok")


def _status(run: StatementRun) -> dict[str, int | float]:
    """The session's deltas, and the server's for counters that have no session value."""
    deltas = (run.global_status or {}) | (run.session_status or {})
    return {name: value for name, value in deltas.items() if name.startswith(SHOWN_PREFIXES)}


def _known(
    plan: Plan, status: dict[tuple[str, str], list[dict[str, int | float]]]
) -> dict[str, list[str]]:
    """The counters that each server has: those that moved on any of its arms."""
    found: dict[str, set[str]] = {arm.server: set() for arm in plan.arms}
    for (arm, _), deltas in status.items():
        found[plan.arm(arm).server].update(name for delta in deltas for name in delta)
    return {server: sorted(names) for server, names in found.items()}


def _medians(deltas: list[dict[str, int | float]], known: list[str]) -> dict[str, float]:
    """A counter that the server has and that didn't move is absent from a delta: it is 0."""
    return {name: median(delta.get(name, 0) for delta in deltas) for name in known}


def _median_of(rows: list[dict[str, float]], name: str) -> float | None:
    values = [row[name] for row in rows if name in row]
    return median(values) if values else None


def _host(trial: Trial, run: StatementRun, telemetry: pl.DataFrame | None) -> dict[str, float]:
    """Rates while a statement ran, weighted by how much of each sample's second it filled."""
    elapsed_s = run.elapsed_ns / 1e9
    if telemetry is None or trial.load_unix_ms is None or elapsed_s < SHORTEST_SEEN_S:
        return {}
    begin_ms = trial.load_unix_ms + run.t_s * 1000
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
