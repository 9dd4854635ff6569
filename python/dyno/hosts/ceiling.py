"""The most that a load host can do: point selects that dynoload answers itself, with no server."""

from __future__ import annotations

from dyno.errors import LoadError
from dyno.hosts.group import Begin, Group
from dyno.spec.load_plan import LoadPlan

SECONDS = 1.0
CONNECTIONS = 16
_PLAN = LoadPlan.model_validate(
    {
        "schema": 2,
        "seed": 1,
        "target": {"noop": True},
        "connections": CONNECTIONS,
        "phases": [{"name": "measure", "duration_s": SECONDS}],
        "workload": {"kind": "oltp", "script": "oltp_point_select"},
    }
)


def ceiling_per_s(name: str, begin: Begin) -> float:
    """Ops per second of the host that `begin` starts loads on. Raises LoadError if it can't."""
    group = Group({name: _PLAN}, {name: begin})
    result = group.run(password=None, on_event=lambda _: None, look=lambda: None)
    part = result.by_host.get(name)
    if part is None:
        raise LoadError(f"{name} can't make a load: {result.failure}")
    return part.phase.ok / part.phase.elapsed_s
