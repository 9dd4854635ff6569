"""Findings that only runs of one workload have.

A workload that has its own needs a folder here with a function that makes them, a field and a line.
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
    """They go by the workload's name, and are None in runs of another one."""

    tpcc: Tpcc | None = None
    linkbench: Linkbench | None = None


FIND: dict[str, Callable[[Plan, Samples], Any]] = {
    "tpcc": tpcc,
    "linkbench": linkbench,
}


def of_workload(plan: Plan, samples: Samples) -> dict[str, Any]:
    """The findings of the run's workload by its name; empty where it has none of its own."""
    kind = plan.workload.kind
    return {kind: FIND[kind](plan, samples)} if kind in FIND else {}
