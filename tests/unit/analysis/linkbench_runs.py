"""Run folders of `linkbench` with known truth: ops of each kind a second, all made up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from counted_runs import PerS, counted_run
from stored_runs import plan_of

from dyno.spec.plan import Plan
from dyno.store.run import RunFolder
from dyno.store.trial import TableSize, Trial

LINKBENCH = """
title = "Social graph"
question = "which one answers more?"
[[arm]]
name = "a"
server = "mariadb-10.1.8"
baseline = true
[[arm]]
name = "b"
server = "mariadb-11.4.5"
[workload]
kind = "linkbench"
ids = 1000
[protocol]
warmup = "2s"
duration = "20s"
"""
SWEEP = LINKBENCH + "[sweep]\nconnections = [4, 8]\n"
# Ops a second of one arm, by the mix of fb-as-coded, and what is counted in a trial of 20 s.
PER_S = {
    "add_link": 90,
    "delete_link": 30,
    "update_link": 80,
    "count_link": 49,
    "multiget_link": 5,
    "get_links_list": 507,
    "add_node": 26,
    "update_node": 74,
    "delete_node": 10,
    "get_node": 129,
}
COUNTERS = {
    "lists": 10_140,
    "list_rows": 81_120,
    "lists_at_limit": 5,
    "history_lists": 30,
    "multigets": 100,
    "multiget_ids": 362,
    "multiget_rows": 70,
    "links_inserted": 2_000,
    "links_shown": 100,
    "links_rewritten": 1_300,
    "links_hidden": 150,
    "links_missed": 450,
    "counts_found": 700,
    "nodes_found": 2_500,
    "nodes_updated": 1_400,
    "nodes_deleted": 180,
    "link_payloads": 3_400,
    "link_bytes": 44_800,
    "node_payloads": 2_000,
    "node_bytes": 422_000,
}


def plan(text: str = LINKBENCH, **options: Any) -> Plan:
    return plan_of(text, **options)


def linkbench_run(
    path: Path,
    plan: Plan,
    *,
    blocks: int = 3,
    per_s: PerS = lambda arm, point: PER_S,
    ms: dict[str, float] | None = None,
    counters: Callable[[str], dict[str, int]] = lambda arm: COUNTERS,
    change: Callable[[Trial], Trial] = lambda trial: trial,
) -> RunFolder:
    """A folder whose trials ended `per_s(arm, point)` ops in each second, around `ms` each,
    and for whose ops the server wrote 4,000 bytes each.
    """

    def wrote(trial: Trial) -> Trial:
        assert trial.summary is not None
        cost = trial.phases["measure"].model_copy(
            update={"write_bytes": 4000 * trial.summary.phases[0].ok}
        )
        return change(trial.model_copy(update={"phases": {"measure": cost}}))

    return counted_run(
        path,
        plan,
        blocks=blocks,
        per_s=per_s,
        counters=counters,
        before=tables(14_000),
        after=tables(16_000),
        ms=ms,
        change=wrote,
    )


def tables(links: int) -> list[TableSize]:
    return [
        TableSize(table=name, engine="InnoDB", rows=rows, disk_bytes=rows * 100)
        for name, rows in (("linktable", links), ("counttable", 800), ("nodetable", 1_000))
    ]
