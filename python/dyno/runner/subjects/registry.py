"""All subjects, by the kind of their load. One line each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dyno.runner.subjects.nodes import Nodes
from dyno.runner.subjects.ops import Ops
from dyno.runner.subjects.orders import Orders
from dyno.runner.subjects.subject import Subject
from dyno.spec.crash_load import Load

SUBJECTS: dict[str, Callable[[Any], Subject]] = {
    "ledger": Ops,
    "tpcc": Orders,
    "linkbench": Nodes,
}


def subject_of(load: Load) -> Subject:
    """The subject of a load."""
    return SUBJECTS[load.kind](load)
