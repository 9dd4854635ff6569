"""Dyno's own load generator: closed load, open load, and tables filled."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from benches.child import Cost, Line, run, server_cpu_between
from benches.stand import LOADING_SCHEMA, SCHEMA, Over, Sample, Stand, Tool
from dyno.errors import LoadError
from dyno.program import find_dynoload

Workload: TypeAlias = Mapping[str, Any]
"""The `workload` of a load plan (docs/reference/load-plan.md)."""

OPEN_SHARE = 0.5


def dynoload(
    workload: Workload,
    *,
    connections: int,
    warmup_s: int,
    over: Over = "socket",
    schema: str = SCHEMA,
) -> Tool:
    """A closed load."""

    def tool(stand: Stand) -> Sample:
        warmup = {"name": "warmup", "duration_s": warmup_s}
        phase = {"name": "measure", "duration_s": stand.seconds}
        plan = _plan(stand, workload, [warmup, phase], over=over, schema=schema)
        return _measure(stand, plan | {"connections": connections})

    return tool


def dynoload_open(workload: Workload, *, connections: int, warmup_s: int) -> Tool:
    """An open load at `OPEN_SHARE` of what a closed one reached right before it."""
    closed = dynoload(workload, connections=connections, warmup_s=warmup_s)

    def tool(stand: Stand) -> Sample:
        full = closed(stand)
        stand.settle()
        rate_per_s = round(OPEN_SHARE * full.ops / full.elapsed_s, 1)
        warmup, phase = [
            {"name": name, "arrivals": {"distribution": "poisson", "steps": [step]}}
            for name, step in (
                ("warmup", {"duration_s": warmup_s, "rate_per_s": rate_per_s}),
                ("measure", {"duration_s": stand.seconds, "rate_per_s": rate_per_s}),
            )
        ]
        plan = _plan(stand, workload, [warmup, phase])
        return _measure(stand, plan | {"connections": connections})

    return tool


def dynoload_loading(workload: Workload, *, rows: int, over: Over = "socket") -> Tool:
    """Tables made and filled in a new schema; an op is a row."""

    def tool(stand: Stand) -> Sample:
        stand.make_schema(LOADING_SCHEMA)
        stand.settle()
        cost = fill(stand, workload, LOADING_SCHEMA, over=over)
        return Sample(cost, ops=rows, elapsed_s=cost.wall_s, cpu_s=cost.cpu_s)

    return tool


def fill(
    stand: Stand,
    workload: Workload,
    schema: str = SCHEMA,
    *,
    over: Over = "socket",
    seed: int = 1,
) -> Cost:
    """Make and fill a workload's tables in a schema that is there."""
    plan = _plan(stand, workload, [{"name": "load"}], over=over, schema=schema)
    cost, _ = _start(stand, plan | {"seed": seed})
    return cost


def summary_of(
    stand: Stand,
    workload: Workload,
    *,
    connections: int,
    ops: int,
    seed: int,
    schema: str = SCHEMA,
) -> dict[str, Any]:
    """What the summary says of a closed load of n ops."""
    plan = _plan(stand, workload, [{"name": "measure", "ops": ops}], schema=schema)
    _, lines = _start(stand, plan | {"connections": connections, "seed": seed})
    return _measured(lines)


def read_events(lines: Sequence[Line], cost: Cost) -> Sample:
    """The sample of a run's phase `measure`; failed are ops and connections.

    Of its CPU time, what lies between the two events that begin and end the phase.
    """
    edges = {}
    for line in lines:
        event = json.loads(line.text)
        if (event["event"], event.get("phase")) == ("phase", "measure"):
            edges[event["state"]] = line
    phase = _measured(lines)
    ok = [op for op in phase["ops"] if op["outcome"] == "ok"]
    count = sum(op["count"] for op in ok)
    latency_ns = sum(op["mean_ns"] * op["count"] for op in ok)
    lag = phase["send_lag"]
    return Sample(
        cost,
        ops=phase["ok"],
        elapsed_s=phase["elapsed_s"],
        cpu_s=edges["end"].cpu_s - edges["begin"].cpu_s,
        server_cpu_s=server_cpu_between(edges["begin"], edges["end"]),
        latency_us_mean=latency_ns / count / 1e3 if count else None,
        failed=sum(phase["failed"].values()) + phase["unfinished"] + phase["reconnects"],
        send_lag_ms_p99=lag["p99_ns"] / 1e6 if lag else None,
    )


def _plan(
    stand: Stand,
    workload: Workload,
    phases: list[dict[str, Any]],
    *,
    over: Over = "socket",
    schema: str = SCHEMA,
) -> dict[str, Any]:
    where: dict[str, Any] = {"socket": str(stand.server.socket)}
    if over == "tcp":
        where = {"host": "127.0.0.1", "port": stand.server.port}
    return {
        "schema": 2,
        "seed": 1,
        "target": {**where, "database": schema},
        "phases": phases,
        "workload": dict(workload),
    }


def _measure(stand: Stand, plan: dict[str, Any]) -> Sample:
    cost, lines = _start(stand, plan)
    return read_events(lines, cost)


def _measured(lines: Sequence[Line]) -> dict[str, Any]:
    """The summary's phase `measure`."""
    phases: list[dict[str, Any]] = json.loads(lines[-1].text)["phases"]
    (phase,) = [phase for phase in phases if phase["phase"] == "measure"]
    return phase


def _start(stand: Stand, plan: dict[str, Any]) -> tuple[Cost, list[Line]]:
    """Run a plan; its cost and its events."""
    file = stand.folder / "plan.json"
    file.write_text(json.dumps(plan))
    cost, lines = run([str(find_dynoload()), "run", str(file)], stand.folder, stand.server.pid)
    build = json.loads(lines[0].text)["build"]
    if build != "release":
        raise LoadError(f"dynoload is a {build} build, which measures itself", hint="run make dev")
    return cost, lines
