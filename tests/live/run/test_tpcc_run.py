"""A tiny run of `tpcc` on a real server, from the load to the report: the parts fit together."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from small_run import Bench

TPCC = """
title = "small"
question = "Are two names of one server equal under orders?"
[[arm]]
name = "A"
baseline = true
server = "mariadb-10.1.8"
[[arm]]
name = "B"
server = "mariadb-10.1.8"
settings = { key_buffer_size = "16M" }
[settings]
innodb_flush_log_at_trx_commit = 2
innodb_buffer_pool_size = "256M"
[workload]
kind = "tpcc"
[protocol]
profile = false
connections = 4
blocks = { first = 2, last = 2 }
warmup = "500ms"
duration = "3s"
"""
COUNTERS = {
    "order_lines",
    "remote_order_lines",
    "remote_payments",
    "payments_by_name",
    "order_statuses_by_name",
    "delivered_orders",
    "skipped_deliveries",
}


@pytest.fixture
def orders(bench: Bench) -> Bench:
    bench.experiment.write_text(TPCC)
    return bench


def measured(trial: dict[str, Any]) -> dict[str, Any]:
    (phase,) = [p for p in trial["summary"]["phases"] if p["phase"] == "measure"]
    assert isinstance(phase, dict)
    return phase


def test_orders_are_taken_counted_and_reported(orders: Bench) -> None:
    done = orders.dyno("run", "small/experiment.toml", timeout_s=400)
    assert done.returncode == 0, done.stderr
    trials = orders.all_trials()
    assert [t["status"] for t in trials] == ["ok"] * 4, [t["failure"] for t in trials]
    for trial in trials:
        phase = measured(trial)
        assert phase["counters"].keys() == COUNTERS
        count = {op["op"]: op["count"] for op in phase["ops"] if op["outcome"] == "ok"}
        taken = count["new_order"] + count.get("new_order_rollback", 0)
        assert 5 <= phase["counters"]["order_lines"] / taken <= 15
        assert phase["counters"]["remote_order_lines"] == 0, "there is one warehouse"
        assert phase["counters"]["payments_by_name"] <= count["payment"]
        before, after = (
            sum(t["disk_bytes"] for t in trial[key]) for key in ("sizes_before", "sizes")
        )
        assert 50_000_000 < before <= after
    findings = json.loads((orders.run_folder() / "findings.json").read_text())
    own = findings["tpcc"]
    assert [p["arm"] for p in own["points"]] == ["A", "B"]
    for point in own["points"]:
        assert point["new_orders_per_min"] > point["without_rollbacks_per_min"] * 0.99 > 0
        assert {t["name"] for t in point["types"]} == {
            "New-Order", "Payment", "Order-Status", "Delivery", "Stock-Level"
        }  # fmt: skip
    assert not [a for a in own["audit"] if a["state"] == "out of range"]
    assert {c["metric"] for c in findings["compared"] if c["primary"]} == {"new_orders_per_min"}
    page = (orders.run_folder() / "report.html").read_text()
    assert "TPC-C-like" in page
    # Within what is encoded these letters may stand side by side.
    assert not re.search(r"\btpmC\b", page)
