"""Run folders of `tpcc` with known truth: ops of each type a second, none measured."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from counted_runs import PerS, counted_run
from stored_runs import plan_of

from dyno.spec.plan import Plan
from dyno.store.run import RunFolder
from dyno.store.trial import TableSize, Trial

TPCC = """
title = "Orders"
question = "which one takes more of them?"
[[arm]]
name = "a"
server = "mariadb-10.1.8"
baseline = true
[[arm]]
name = "b"
server = "mariadb-11.4.5"
[workload]
kind = "tpcc"
warehouses = 2
[protocol]
warmup = "2s"
duration = "20s"
"""
SWEEP = TPCC + "[sweep]\nconnections = [4, 8]\n"
PACED = TPCC.replace("warehouses = 2", 'warehouses = 1\nmode = "paced"') + "connections = 10\n"
# Ops a second of one arm, and what the client counted in one trial of 20 s.
PER_S = {
    "new_order": 99,
    "new_order_rollback": 1,
    "payment": 100,
    "order_status": 10,
    "delivery": 10,
    "stock_level": 10,
}
COUNTERS = {
    "order_lines": 20_000,
    "remote_order_lines": 200,
    "remote_payments": 300,
    "payments_by_name": 1200,
    "order_statuses_by_name": 120,
    "delivered_orders": 1990,
    "skipped_deliveries": 10,
}


def plan(text: str = TPCC, **options: Any) -> Plan:
    return plan_of(text, **options)


def tpcc_run(
    path: Path,
    plan: Plan,
    *,
    blocks: int = 3,
    per_s: PerS = lambda arm, point: PER_S,
    ms: dict[str, float] | None = None,
    counters: Callable[[str], dict[str, int]] = lambda arm: COUNTERS,
    change: Callable[[Trial], Trial] = lambda trial: trial,
) -> RunFolder:
    """A folder whose trials ended `per_s(arm, point)` ops in each second, around `ms` each."""
    return counted_run(
        path,
        plan,
        blocks=blocks,
        per_s=per_s,
        counters=counters,
        before=[table(100_000_000)],
        after=[table(120_000_000)],
        ms=ms,
        change=change,
    )


def table(disk_bytes: int) -> TableSize:
    return TableSize(table="orders", engine="InnoDB", disk_bytes=disk_bytes)
