"""Findings that only runs of one workload have.

A workload with its own findings needs a folder here with a function that makes them, a field and a
line.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dyno.analysis.linkbench.find import linkbench
from dyno.analysis.linkbench.model import Linkbench
from dyno.analysis.part import FindingsPart
from dyno.analysis.samples import Samples
from dyno.analysis.tpcc.find import tpcc
from dyno.analysis.tpcc.model import Tpcc
from dyno.spec.plan import Plan


class OfWorkload(FindingsPart):
    """Named after the workloads, and None in runs of another one."""

    tpcc: Tpcc | None = None
    linkbench: Linkbench | None = None


FIND: dict[str, Callable[[Plan, Samples], Any]] = {
    "tpcc": tpcc,
    "linkbench": linkbench,
}


def of_workload(plan: Plan, samples: Samples) -> dict[str, Any]:
    """The findings specific to the run's workload, by its name; empty if it has none."""
    kind = plan.workload.kind
    return {kind: FIND[kind](plan, samples)} if kind in FIND else {}
