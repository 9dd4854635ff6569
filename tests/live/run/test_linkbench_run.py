"""A tiny run of `linkbench` on a real server, from load to report: the parts fit together."""

from __future__ import annotations

import json
from typing import Any

import pytest
from small_run import Bench

LINKBENCH = """
title = "small"
question = "Are two names of one server equal under a social graph?"
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
kind = "linkbench"
ids = 2000
[protocol]
profile = false
connections = 4
blocks = { first = 2, last = 2 }
warmup = "500ms"
duration = "3s"
"""
OPS = {
    "add_link",
    "delete_link",
    "update_link",
    "count_link",
    "multiget_link",
    "get_links_list",
    "add_node",
    "update_node",
    "delete_node",
    "get_node",
}


@pytest.fixture
def graph(bench: Bench) -> Bench:
    bench.experiment.write_text(LINKBENCH)
    return bench


def measured(trial: dict[str, Any]) -> dict[str, Any]:
    (phase,) = [p for p in trial["summary"]["phases"] if p["phase"] == "measure"]
    assert isinstance(phase, dict)
    return phase


def check_counters(phase: dict[str, Any]) -> None:
    """What is counted beside the ops goes with the ops."""
    count = {op["op"]: op["count"] for op in phase["ops"] if op["outcome"] == "ok"}
    assert count.keys() <= OPS
    seen = phase["counters"]
    assert seen["lists"] == count["get_links_list"]
    assert max(seen["history_lists"], seen["lists_at_limit"]) < seen["lists"]
    assert seen["multigets"] == count["multiget_link"]
    assert seen["multiget_ids"] >= 2 * seen["multigets"]
    assert seen["links_hidden"] + seen["links_missed"] == count["delete_link"]
    written = seen["links_inserted"] + seen["links_shown"] + seen["links_rewritten"]
    assert written == seen["link_payloads"] == count["add_link"] + count["update_link"]
    assert seen["node_payloads"] == count["add_node"] + count["update_node"]
    assert 0 < seen["counts_found"] <= count["count_link"]
    assert 0 < seen["nodes_found"] <= count["get_node"]
    assert seen["nodes_deleted"] <= count["delete_node"]


def test_a_graph_is_asked_counted_and_reported(graph: Bench) -> None:
    done = graph.dyno("run", "small/experiment.toml", timeout_s=400)
    assert done.returncode == 0, done.stderr
    trials = graph.all_trials()
    assert [t["status"] for t in trials] == ["ok"] * 4, [t["failure"] for t in trials]
    for trial in trials:
        check_counters(measured(trial))
        assert trial["data_checks"], "counts are compared with links"
        assert {c["state"] for c in trial["data_checks"]} == {"ok"}
        before, after = (
            sum(t["disk_bytes"] for t in trial[key]) for key in ("sizes_before", "sizes")
        )
        assert 10_000_000 < before <= after
    findings = json.loads((graph.run_folder() / "findings.json").read_text())
    own = findings["linkbench"]
    assert [p["arm"] for p in own["points"]] == ["A", "B"]
    for point in own["points"]:
        assert point["ops_per_s"] > 100
        assert point["range_size"] > 1
        assert point["link_rows_per_id"] > 100, "those of the ids with the most are always there"
        assert {op["name"] for op in point["ops"]} == OPS
    assert not [d for d in own["draws"] if d["state"] == "not as asked"]
    assert len([d for d in own["draws"] if d["state"] == "as asked"]) == 2 * 14
    assert {c["metric"] for c in findings["compared"] if c["primary"]} == {"total_throughput"}
    page = (graph.run_folder() / "report.html").read_text()
    assert "Social graph (LinkBench)" in page
    assert "has one connection, where the original has two" in page
