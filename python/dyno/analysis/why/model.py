"""The findings of a run that explains a difference, as findings.json has them.

Schema history:
  1  first version
"""

from __future__ import annotations

from typing import Annotated, Literal

from dyno.analysis.part import Estimate, FindingsPart, Keys, WithEstimates
from dyno.spec.why import Explained

CAUSES_SCHEMA = 1

# named: proven in fresh blocks. dropped: as good as nothing. open: not decided. rest: all other
# settings together. servers: what isn't a setting. gap: what three or more do together.
Standing = Literal["named", "dropped", "open", "rest", "servers", "gap"]


class CauseRead(WithEstimates):
    """A part of the difference: its points of the whole in percent, with the interval, over `n`
    fresh blocks. `added` is what it costs alone on the first arm, `removed` what the second arm
    gains without it, both in percent; None where that wasn't measured. `values` says what is set.
    """

    name: str
    standing: Standing
    points: Annotated[Estimate | None, Keys("points", "points_low", "points_high")]
    rounded: float | None
    n: int
    p: float | None
    added: Annotated[Estimate | None, Keys("added_pct", "added_low", "added_high")]
    removed: Annotated[Estimate | None, Keys("removed_pct", "removed_low", "removed_high")]
    values: str


class FactorRead(FindingsPart):
    """A factor, and what it is on each arm."""

    name: str
    first: str
    second: str
    merged: str


class SearchRead(FindingsPart):
    """The run: how far it came, and how it is repeated."""

    id: str
    state: str
    reason: str
    elapsed_s: float
    started: str
    dyno: str
    repeat: str
    trials: int
    void: int
    starts: int


class Causes(FindingsPart):
    """All that a search for causes shows."""

    name: str
    title: str
    explained: Explained
    point: str
    run: SearchRead
    ending: str
    answer: list[str]
    causes: list[CauseRead]
    factors: list[FactorRead]
    merges: list[str]
    suspects: list[str]
    confirmed_blocks: int
    resolution_pct: float | None
