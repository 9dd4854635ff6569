"""The most that a load host can do: point selects that dynoload answers itself, with no server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dyno.errors import LoadError
from dyno.hosts.group import Begin, Group
from dyno.spec.load_plan import LoadPlan

SECONDS = 1.0
CONNECTIONS = 16


def no_server_plan(
    *, connections: int, seconds: float, think: Mapping[str, Any] | None = None
) -> LoadPlan:
    """Point selects without a server; `think` is what a phase of a plan may have."""
    return LoadPlan.model_validate(
        {
            "schema": 2,
            "seed": 1,
            "target": {"noop": True},
            "connections": connections,
            "phases": [{"name": "measure", "duration_s": seconds, "think": think}],
            "workload": {"kind": "oltp", "script": "oltp_point_select"},
        }
    )


def ceiling_per_s(name: str, begin: Begin) -> float:
    """Ops per second of the host that `begin` starts loads on. Raises LoadError if it can't."""
    plan = no_server_plan(connections=CONNECTIONS, seconds=SECONDS)
    group = Group({name: plan}, {name: begin})
    result = group.run(password=None, on_event=lambda _: None, look=lambda: None)
    part = result.by_host.get(name)
    if part is None:
        raise LoadError(f"{name} can't make a load: {result.failure}")
    return part.phase.ok / part.phase.elapsed_s
