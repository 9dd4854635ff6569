"""What findings say about where time went: CPU by function, the latency of an op by what it did.

Points are per cent of the baseline's whole cost (or, in `LatencySplit`, the unit that is named), so
rows that don't overlap sum. Intervals are at level .95 for each row by itself.
"""

from __future__ import annotations

from typing import Annotated, Literal

from dyno.analysis.part import FindingsPart, Keys, WithEstimates
from dyno.analysis.profiles.objects import Kind
from dyno.stats import Estimate

Points = Annotated[Estimate, Keys("points", "points_low", "points_high")]
RowKind = Literal["common", "function", "renamed", "inlined", "rest", "class", "all else"]


class ProfileRow(WithEstimates):
    """A row of a comparison: a function, or several that are counted together.

    `points`: how much dearer it is in the arm; `baseline_points`: what it costs in the baseline.
    `inclusive`: how much dearer with all that it calls; such figures overlap and don't sum. None
    where it has no meaning. `p` is adjusted for all rows that were tested, None for a row that
    wasn't tested.
    """

    kind: RowKind
    label: str
    module: str = ""
    points: Points
    baseline_points: float
    inclusive: Annotated[
        Estimate | None, Keys("inclusive_points", "inclusive_low", "inclusive_high")
    ] = None
    p: float | None = None


class Renamed(WithEstimates):
    """Two functions that may be one: each in one arm only, of equal cost, with the same callers.

    `points`: how much dearer they are together.
    """

    module: str
    baseline_name: str
    arm_name: str
    points: Points


class Inlined(WithEstimates):
    """Functions that are gone in one arm, where their callers became dearer by as much.

    `into`: gone in the arm; otherwise they are only in the arm, and were inlined in the baseline.
    `points`: how much dearer they are together with their callers.
    """

    functions: list[str]
    callers: list[str]
    into: bool
    points: Points


class ArmProfile(FindingsPart):
    """One arm's part of a comparison: samples of all its trials, and those that lack a symbol."""

    arm: str
    samples: int
    unresolved_pct: float
    unwound_pct: float
    cpu_us_per_op: float


class Flame(FindingsPart):
    """Both arms' stacks as one tree, from the root down; node i hangs on `parents[i]`, -1 for none.

    `points` and `baseline_points`: what a node costs with all that it calls, in each arm, in per
    cent of the baseline's CPU per op. Nodes below 0.1 in both are left out.
    """

    names: list[str]
    parents: list[int]
    points: list[float]
    baseline_points: list[float]


class ProfileComparison(WithEstimates):
    """Where an arm's CPU time differs from the baseline's, over `blocks`.

    `total` and all rows are points of the baseline's CPU per op. `classes`, by kind of object, sum
    to the total; so do `rows`, of which the last is all that isn't listed, and `brief`, the same
    with the largest only. `factor`: by how much the typical function is dearer, a ratio; its row
    comes first where it is different from 1, and then the others are beyond it. `top_inclusive`:
    functions whose cost with all that they call differs most; they overlap. `tested`: how many rows
    were tested. `objects_only`: why functions can't be compared; then there are only classes.
    `own_only`: why their callers can't; then there are neither inclusive costs nor a flame graph.
    `nameless`: the kinds of code whose local functions have no name, as only one arm knows them.
    """

    arm: ArmProfile
    baseline: ArmProfile
    point: int = 0
    blocks: list[int]
    total: Annotated[Estimate, Keys("total", "total_low", "total_high")]
    factor: Annotated[Estimate | None, Keys("factor", "factor_low", "factor_high")] = None
    classes: list[ProfileRow]
    rows: list[ProfileRow] = []
    brief: list[ProfileRow] = []
    top_inclusive: list[ProfileRow] = []
    renamed: list[Renamed] = []
    inlined: list[Inlined] = []
    tested: int = 0
    objects_only: str | None = None
    own_only: str | None = None
    nameless: list[Kind] = []
    flame: Flame | None = None


class LatencyPart(WithEstimates):
    """How much longer an op does one thing, in microseconds; `exact`: by the kernel's accounts.

    `p` is adjusted for all parts.
    """

    name: str
    exact: bool
    us: Annotated[Estimate, Keys("us", "us_low", "us_high")]
    baseline_us: float
    p: float


class LatencySplit(WithEstimates):
    """Where the time of an op goes, arm against baseline: the parts sum to the total.

    The total is threads x seconds / ops, which in a closed load is the time from op to op.
    """

    arm: str
    baseline: str
    point: int = 0
    blocks: list[int]
    total: Annotated[Estimate, Keys("total_us", "total_us_low", "total_us_high")]
    baseline_us: float
    parts: list[LatencyPart]
