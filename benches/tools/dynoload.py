"""Dyno's own load generator: closed load, open load, and tables filled."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeAlias

from benches.child import Cost, run
from benches.stand import LOADING_SCHEMA, SCHEMA, Over, Sample, Stand, Tool
from dyno.errors import LoadError
from dyno.runner.load import find_dynoload

Workload: TypeAlias = Mapping[str, Any]
"""The `workload` of a load plan (docs/reference/load-plan.md)."""

OPEN_SHARE = 0.5


def dynoload(workload: Workload, *, connections: int, over: Over = "socket") -> Tool:
    """A closed load."""

    def tool(stand: Stand) -> Sample:
        phase = {"name": "measure", "duration_s": stand.seconds}
        return _measure(stand, _plan(stand, workload, phase, connections, over))

    return tool


def dynoload_open(workload: Workload, *, connections: int) -> Tool:
    """An open load at `OPEN_SHARE` of what a closed one reached right before it."""
    closed = dynoload(workload, connections=connections)

    def tool(stand: Stand) -> Sample:
        full = closed(stand)
        stand.settle()
        rate_per_s = round(OPEN_SHARE * full.ops / full.elapsed_s, 1)
        step = {"duration_s": stand.seconds, "rate_per_s": rate_per_s}
        phase = {"name": "measure", "arrivals": {"distribution": "poisson", "steps": [step]}}
        return _measure(stand, _plan(stand, workload, phase, connections, "socket"))

    return tool


def dynoload_loading(workload: Workload, *, rows: int) -> Tool:
    """Tables made and filled in a new schema; an op is a row."""

    def tool(stand: Stand) -> Sample:
        stand.make_schema(LOADING_SCHEMA)
        stand.settle()
        cost = fill(stand, workload, LOADING_SCHEMA)
        return Sample(cost, ops=rows, elapsed_s=cost.wall_s)

    return tool


def fill(stand: Stand, workload: Workload, schema: str = SCHEMA) -> Cost:
    """Make and fill a workload's tables in a schema that is there."""
    plan = _plan(stand, workload, {"name": "load"}, 1, "socket")
    plan["target"]["database"] = schema
    cost, _ = _start(stand, plan)
    return cost


def read_summary(summary: Mapping[str, Any], cost: Cost) -> Sample:
    """The sample of a run's one timed phase; failed are ops and connections."""
    (phase,) = summary["phases"]
    ok = [op for op in phase["ops"] if op["outcome"] == "ok"]
    count = sum(op["count"] for op in ok)
    latency_ns = sum(op["mean_ns"] * op["count"] for op in ok)
    lag = phase["send_lag"]
    return Sample(
        cost,
        ops=phase["ok"],
        elapsed_s=phase["elapsed_s"],
        latency_us_mean=latency_ns / count / 1e3 if count else None,
        failed=sum(phase["failed"].values()) + phase["unfinished"] + phase["reconnects"],
        send_lag_ms_p99=lag["p99_ns"] / 1e6 if lag else None,
    )


def _plan(
    stand: Stand, workload: Workload, phase: dict[str, Any], connections: int, over: Over
) -> dict[str, Any]:
    where: dict[str, Any] = {"socket": str(stand.server.socket)}
    if over == "tcp":
        where = {"host": "127.0.0.1", "port": stand.server.port}
    return {
        "schema": 2,
        "seed": 1,
        "target": {**where, "database": SCHEMA},
        "connections": connections,
        "phases": [phase],
        "workload": dict(workload),
    }


def _measure(stand: Stand, plan: dict[str, Any]) -> Sample:
    cost, summary = _start(stand, plan)
    return read_summary(summary, cost)


def _start(stand: Stand, plan: dict[str, Any]) -> tuple[Cost, dict[str, Any]]:
    """Run a plan; its cost and its last event, the summary."""
    file, events = stand.folder / "plan.json", stand.folder / "events.ndjson"
    file.write_text(json.dumps(plan))
    cost, _ = run([str(find_dynoload()), "run", str(file), "--events", str(events)], stand.folder)
    lines = events.read_text().splitlines()
    build = json.loads(lines[0])["build"]
    if build != "release":
        raise LoadError(f"dynoload is a {build} build, which measures itself", hint="run make dev")
    summary: dict[str, Any] = json.loads(lines[-1])
    return cost, summary
