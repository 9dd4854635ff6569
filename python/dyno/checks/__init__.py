"""Checks of data: whether a workload's rows still follow its rules, and whether a server isolates
its transactions.

They read through a connection that is passed in. Which server it is, and what is done with the
results, isn't known here.
"""

from __future__ import annotations

from dyno.checks.growth import grown, read_figures
from dyno.checks.model import Check, Checks, Growth
from dyno.checks.registry import KINDS, find_kind
from dyno.checks.run import run_checks, unchecked

__all__ = [
    "KINDS",
    "Check",
    "Checks",
    "Growth",
    "find_kind",
    "grown",
    "read_figures",
    "run_checks",
    "unchecked",
]
