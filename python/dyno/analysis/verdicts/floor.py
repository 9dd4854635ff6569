"""The host's A/A floor: how large a difference it shows where there is none.

Measured by the experiment `a-a` and copied into a run's host.json when the run starts, so that the
run folder says the same wherever it is read.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dyno.analysis.fairness.model import Fairness
from dyno.analysis.stored import read_findings
from dyno.spec.plan import Plan
from dyno.store.host import Floor
from dyno.store.run import RunFolder

FLOOR_EXPERIMENT = "a-a"


def floor_of(host: Mapping[str, Any]) -> Floor | None:
    """The floor recorded in a run's host.json, or None."""
    found = host.get("floor")
    return Floor.model_validate(found) if found else None


def read_floor(path: Path, plan: Plan) -> Floor | None:
    """The floor that a complete A/A run of full size with an interval gives to a run of `plan`;
    None if its kind of workload or placement differs.
    """
    findings = read_findings(path)
    if findings is None or findings.run.quick or not findings.compared:
        return None
    result = findings.compared[0]
    if result.ratio is None or result.ratio.interval is None:
        return None
    ground = _ground(RunFolder(path).plan())
    if ground != _ground(plan):
        return None
    low, high = result.ratio.interval
    kind, placement, _ = ground
    return Floor(
        run=findings.run.id,
        ratio=result.ratio.value,
        low=low,
        high=high,
        n=result.n,
        kind=kind,
        placement=placement,
    )


def _ground(plan: Plan) -> tuple[str, str, bool]:
    """What a floor depends on: kind of workload, placement, and whether CPUs were awake."""
    return plan.workload.kind, str(plan.protocol.placement), plan.protocol.awake


def check_floor(floor: Floor | None, *, delta: float) -> Fairness:
    """Whether this host can show differences at all; `delta` is the run's margin, a log ratio."""
    name = "A/A floor"
    if floor is None:
        return Fairness(
            name=name,
            check="unknown",
            says="No control arm ran, and the floor of this kind of workload was not measured on "
            "this host before: set control = true in [protocol], or run dyno run a-a.",
        )
    seen = f"{100 * math.expm1(floor.bias):.1f} % between two names of one server"
    if not floor.low <= 1 <= floor.high:
        return Fairness(
            name=name,
            check="warning",
            says=f"This host shows a difference where there is none: {seen} (run {floor.run}).",
        )
    return Fairness(
        name=name,
        check="ok",
        says=f"This host shows {seen} ({floor.n} blocks, run {floor.run}); nothing below "
        f"{100 * math.expm1(delta):.1f} % is called a difference.",
    )
