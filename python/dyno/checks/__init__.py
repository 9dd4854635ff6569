"""Checks of data: whether a workload's rows still say what its rules say, and whether a server
keeps its transactions apart.

They read through a connection that is given to them. Which server it is, and what becomes of the
answers, is not known here.
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
