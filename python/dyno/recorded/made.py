"""What a command line comes to: the plan that its folder has, and its trials."""

from __future__ import annotations

from dataclasses import dataclass, field

from dyno.spec.events import Interval
from dyno.spec.plan import Plan
from dyno.store.trial import Trial


@dataclass(frozen=True)
class Made:
    """What the folder gets."""

    plan: Plan
    trials: list[Trial]
    intervals: list[Interval] = field(default_factory=list)
