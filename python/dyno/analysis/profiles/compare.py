"""Two arms' profiles, compared block by block: which functions cost more per op, and how much.

Names are matched, functions that were renamed or inlined are counted together, and all others are
tested at once; see `dyno.stats.sampled` and `floored` for how. A profile says where time went and
not why: more time in memcpy may be more calls, larger copies or colder caches.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from dyno.analysis.profiles.cells import Cells, Side, result_of
from dyno.analysis.profiles.flame import flame
from dyno.analysis.profiles.folding import fold, has_inlined, local_kinds
from dyno.analysis.profiles.grouping import Group, classes, groups, large
from dyno.analysis.profiles.matching import Move, Pair, moved, renamed
from dyno.analysis.profiles.model import ArmProfile, Inlined, ProfileComparison, ProfileRow, Renamed
from dyno.analysis.profiles.objects import KINDS
from dyno.analysis.profiles.table import Table, by_size
from dyno.analysis.profiles.trial import ProfiledTrial, paired
from dyno.spec.units import possessive
from dyno.stats import (
    ONE_PERCENT,
    Estimate,
    Floats,
    Sampled,
    benjamini_hochberg,
    common_factors,
    student_mean,
)
from dyno.stats.floored import LEVEL_MISSED

BRIEF_MOST = 6
LISTED_MOST = 60
# Arms whose unresolved samples are farther apart, as a share of the cheaper arm's cost or of the
# arms' difference, whichever is more, aren't compared by function.
UNRESOLVED_APART = 0.05
# The same where local functions have no name in both: what has none differs then like any function.
STRIPPED_APART = 0.25
# Arms whose unwound samples are farther apart, as a share of the cheaper arm's cost, are compared
# only by what functions take themselves.
UNWOUND_APART = 0.5


def compare(
    arm: Sequence[ProfiledTrial],
    baseline: Sequence[ProfiledTrial],
    *,
    names: tuple[str, str],
    program: str | None = None,
    point: int = 0,
) -> ProfileComparison:
    """The arm against the baseline, over the blocks in which both have a profile.

    `names` are those of the arm and the baseline, `program` the server's program, if it has an
    unusual name. Raises ValueError for fewer than 3 such blocks, and like `paired`.
    """
    pairs = paired(arm, baseline)
    stacks = [[pair[side].stacks for pair in pairs] for side in (0, 1)]
    inlined = all(map(has_inlined, stacks))
    # What only one of two builds names would seem to be gone from the other.
    ours_named, theirs_named = (local_kinds(one, program=program) for one in stacks)
    nameless = ours_named ^ theirs_named
    ours, theirs = (
        Side(
            name=names[side],
            trials=[pair[side] for pair in pairs],
            folded=[
                fold(s, program=program, inlined=inlined, nameless=nameless) for s in stacks[side]
            ],
        )
        for side in (0, 1)
    )
    cells = Cells.of(ours, theirs)
    cheaper_us = min(ours.mean_us, theirs.mean_us)
    unwound_us = UNWOUND_APART * cheaper_us
    # An arm that is much dearer and has callers throughout lacks nothing.
    lacking = _apart(ours, theirs, "have no callers", unwound_us, _alone)
    without = lacking and _apart(ours, theirs, "have callers", unwound_us, _unwound)
    table = Table(cells, ours, theirs, with_callers=without is None)
    # Before functions are looked at: a factor that they share isn't taken out of these.
    total, by_class = table.total(), table.rows(classes(cells.parts))
    most = STRIPPED_APART if nameless else UNRESOLVED_APART
    # Where one arm is many times as dear, its colder caches make nameless code dearer by a good
    # part of the cheaper arm's cost, and by little of what there is to explain.
    most_us = most * max(cheaper_us, abs(ours.mean_us - theirs.mean_us))
    functions = _by_function(table)
    reason = _apart(ours, theirs, "have no symbol", most_us, _unresolved, shared=functions.factor)
    if reason:
        functions = _Functions()
    return ProfileComparison(
        arm=_arm(ours),
        baseline=_arm(theirs),
        point=point,
        blocks=[trial.block for trial in ours.trials],
        total=total,
        classes=by_class,
        objects_only=reason,
        own_only=without,
        nameless=[kind for kind in KINDS if kind in nameless],
        flame=flame(ours, theirs) if table.with_callers else None,
        **vars(functions),
    )


@dataclass(frozen=True, kw_only=True)
class _Functions:
    """The part of a comparison that needs functions, by the same names."""

    factor: Estimate | None = None
    rows: list[ProfileRow] = field(default_factory=list)
    brief: list[ProfileRow] = field(default_factory=list)
    top_inclusive: list[ProfileRow] = field(default_factory=list)
    renamed: list[Renamed] = field(default_factory=list)
    inlined: list[Inlined] = field(default_factory=list)
    tested: int = 0


def _by_function(table: Table) -> _Functions:
    cells, ours, theirs = table.cells, table.ours, table.theirs
    pairs = renamed(cells, ours, theirs) if table.with_callers else []
    before = large(cells, groups(cells, pairs))
    p = benjamini_hochberg(cells.test([group.parts for group in before]).p)
    differing = [
        group.parts[0]
        for group, adjusted in zip(before, p, strict=True)
        if adjusted <= LEVEL_MISSED and len(group.parts) == 1
    ]
    moves = moved(cells, ours, theirs, differing, pairs) if table.with_callers else []
    candidates = large(cells, groups(cells, pairs, moves))
    factor, p = _judged(table, candidates)
    passed = [at for at, adjusted in enumerate(p) if adjusted <= LEVEL_MISSED]
    rows = table.rows([candidates[at] for at in passed], p[passed])
    order = sorted(range(len(rows)), key=lambda at: by_size(rows[at]))
    listed, parts = [rows[at] for at in order], [candidates[passed[at]] for at in order]
    return _Functions(
        factor=factor,
        rows=table.partition(listed[:LISTED_MOST], parts[:LISTED_MOST]),
        brief=table.partition(listed[:BRIEF_MOST], parts[:BRIEF_MOST]),
        top_inclusive=table.top_inclusive(pairs, moves),
        renamed=[_renamed(pair, table.points(pair)) for pair in pairs],
        inlined=[_inlined(move, table.points(move.parts)) for move in moves],
        tested=len(candidates),
    )


def _judged(table: Table, candidates: Sequence[Group]) -> tuple[Estimate | None, Floats]:
    """The common factor as a ratio, and each candidate's adjusted p.

    Where the factor is different from 1 (its interval, and by 1 % or more) and so is what it makes
    of the cost, the table's rows are beyond it. Servers that share few functions have no factor
    that does this. Otherwise a candidate must differ both as it is and beyond the factor: what only
    moves with all others isn't listed.
    """
    arm, baseline = table.cells.grouped([group.parts for group in candidates])
    p = benjamini_hochberg(result_of(arm, baseline).p)
    factors = _factors(arm, baseline)
    if factors is None:
        return None, p
    typical = student_mean(np.log(factors), p_star=LEVEL_MISSED)
    low, high = typical.bounds
    apart = abs(typical.value) >= ONE_PERCENT and not low <= 0 <= high
    if apart and table.share(factors):
        p = benjamini_hochberg(result_of(arm, baseline, factors).p)
    else:
        p = np.maximum(p, _beyond(arm, baseline, factors))
    return typical.through(math.exp), p


def _factors(arm: Sampled, baseline: Sampled) -> Floats | None:
    """The factor that parts share, without those that differ beyond it."""
    of_all = common_factors(arm, baseline)
    if of_all is None:
        return None
    alike = _beyond(arm, baseline, of_all) > LEVEL_MISSED
    of_alike = common_factors(arm.only(alike), baseline.only(alike))
    return of_all if of_alike is None else of_alike


def _beyond(arm: Sampled, baseline: Sampled, factors: Floats) -> Floats:
    """The adjusted p of what differs beyond the mean factor.

    One for all blocks: the spread of a factor that may not be there would only hide differences.
    """
    mean = np.full_like(factors, math.exp(np.log(factors).mean()))
    return benjamini_hochberg(result_of(arm, baseline, mean).p)


def _apart(
    ours: Side,
    theirs: Side,
    what: str,
    most_us: float,
    share_of: Callable[[Side], float],
    *,
    shared: Estimate | None = None,
) -> str | None:
    """How many samples of the arms have something, if that is too far apart to compare them.

    What counts is its cost per op: an equal one is a smaller share of a dearer arm. It may be
    `most_us` apart, and by two standard errors of the shares: of a few hundred samples they
    scatter.
    With `shared`, the factor by which all functions are dearer, it must also be too far from what
    the factor alone makes of the baseline's: code without symbols gets dearer like any other.
    """
    sides = (ours, theirs)
    costs = [side.mean_us for side in sides]
    shares = [share_of(side) for side in sides]
    found = [share * cost for share, cost in zip(shares, costs, strict=True)]
    errors = [
        cost * math.sqrt(share * (1 - share) / side.whole.samples)
        for share, cost, side in zip(shares, costs, sides, strict=True)
    ]
    for factor in (1.0, shared.value if shared else 1.0):
        apart = abs(found[0] - factor * found[1]) - 2 * math.hypot(errors[0], factor * errors[1])
        if apart <= most_us:
            return None
    return (
        f"{100 * shares[0]:.0f} % of {possessive(ours.name)} samples {what}, and "
        f"{100 * shares[1]:.0f} % of {possessive(theirs.name)}"
    )


def _unresolved(side: Side) -> float:
    return side.whole.unresolved / side.whole.samples


def _unwound(side: Side) -> float:
    return side.whole.unwound / side.whole.samples


def _alone(side: Side) -> float:
    return 1.0 - _unwound(side)


def _arm(side: Side) -> ArmProfile:
    return ArmProfile(
        arm=side.name,
        samples=side.whole.samples,
        unresolved_pct=100 * _unresolved(side),
        unwound_pct=100 * _unwound(side),
        cpu_us_per_op=side.mean_us,
    )


def _renamed(pair: Pair, points: Estimate) -> Renamed:
    return Renamed(
        module=pair.theirs.module,
        baseline_name=pair.theirs.name,
        arm_name=pair.ours.name,
        points=points,
    )


def _inlined(move: Move, points: Estimate) -> Inlined:
    return Inlined(
        functions=[part.name for part in move.functions],
        callers=[part.name for part in move.callers],
        into=move.into,
        points=points,
    )
