"""Plans of a load without a server, which answers itself."""

from __future__ import annotations

from dyno.spec.load_plan import LoadPlan


def noop_plan(*phases: dict[str, object], connections: int) -> LoadPlan:
    """These phases of oltp_read_write."""
    return LoadPlan.model_validate(
        {
            "schema": 2,
            "seed": 5,
            "target": {"noop": True},
            "connections": connections,
            "phases": phases,
            "workload": {"kind": "oltp", "script": "oltp_read_write"},
        }
    )
