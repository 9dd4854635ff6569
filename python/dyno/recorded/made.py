"""What a command line is turned into: the plan of its folder, and its trials."""

from __future__ import annotations

from dataclasses import dataclass, field

from dyno.spec.events import Interval
from dyno.spec.plan import Plan
from dyno.store.trial import Trial


@dataclass(frozen=True)
class Made:
    """What goes into the folder."""

    plan: Plan
    trials: list[Trial]
    intervals: list[Interval] = field(default_factory=list)
