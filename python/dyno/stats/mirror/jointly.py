"""Where settings depend on each other: three or more by a full factorial, two by four rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from dyno.stats.mirror.confirming import Cast, Values
from dyno.stats.mirror.hadamard import factorial
from dyno.stats.mirror.outcome import (
    Confirmed,
    Figure,
    Joint,
    Kind,
    Pair,
    Setting,
    Share,
    Standing,
)
from dyno.stats.mirror.question import Stage, Steps
from dyno.stats.mirror.rule import figure, leaves_out_zero
from dyno.stats.mirror.session import Player, Session
from dyno.stats.mirror.shares import shapley
from dyno.stats.rank import Floats, hodges_lehmann

PLAYERS_MOST = 4
"""A block of the full factorial has 2^4 trials."""

PARTNERS_MOST = 4
"""Settings of one kind that are tried in pairs: six pairs."""


def apportioned(
    session: Session, cast: Cast, found: Confirmed, values: Values
) -> Steps[Joint | None]:
    """Exact Shapley values of the largest players, if the gap says that three act together.

    None if there is no such gap, or no budget for blocks: the gap is then not apportioned.
    """
    gap = found.gap
    if gap is None or not leaves_out_zero(gap, least=session.question.delta):
        return None
    players = _largest(cast, values)
    signs = factorial(len(players))
    shares = yield from _blocks(session, Stage.JOINT, cast.frame.table(signs, players), shapley)
    if not len(shares):
        return None
    tests = len(cast.settings)
    looks = session.question.looks[:1]
    figures = [figure(column, looks=looks, alpha=found.alpha, tests=tests) for column in shares.T]
    named = zip(players, figures, strict=True)
    return Joint(
        shares=tuple(Share(factors=session.names(p), figure=seen) for p, seen in named),
        blocks=len(shares),
    )


def paired(session: Session, cast: Cast, found: Confirmed) -> Steps[tuple[Pair, ...]]:
    """Named settings that depend on a partner, tried together in blocks of their own."""
    pairs: list[Pair] = []
    for kind in Kind:
        partners = [s for s in found.settings if _kind(session, s) is kind]
        partners = sorted(partners, key=lambda s: -abs(s.share.estimate.value))[:PARTNERS_MOST]
        if len(partners) > 1:
            more = yield from _tried(session, cast, kind, partners, found.alpha)
            pairs += more
    return tuple(pairs)


def _largest(cast: Cast, values: Values) -> tuple[Player, ...]:
    """All players, or the largest ones and then all others as one."""
    players = cast.players
    if len(players) <= PLAYERS_MOST:
        return players
    sizes = [abs(hodges_lehmann(column)) for column in np.array(values.shares).T]
    order = sorted(range(len(players)), key=lambda i: -sizes[i])
    largest, others = sorted(order[: PLAYERS_MOST - 1]), sorted(order[PLAYERS_MOST - 1 :])
    merged = tuple(sorted(unit for i in others for unit in players[i]))
    return (*(players[i] for i in largest), merged)


def _blocks(
    session: Session, stage: Stage, table: Floats, value_of: Callable[[Floats], Floats]
) -> Steps[Floats]:
    """Values of blocks with all of a table's rows, shape (n, values): as many blocks as the first
    look has, or as the budget pays for. A block with a void trial is lost.
    """
    wanted = session.question.looks[0]
    values: list[Floats] = []
    lost = 0
    while len(values) < wanted and lost <= wanted and session.affords(len(table)):
        costs = yield from session.measure(stage, table)
        if np.isfinite(costs).all():
            values.append(value_of(costs))
        else:
            lost += 1
    return np.array(values)


def _kind(session: Session, setting: Setting) -> Kind | None:
    """How a named setting depends on others: its interaction is proven, and alone it does nothing
    that shows, added to A or taken from B.
    """
    added, removed = setting.added, setting.removed
    proven = setting.interaction_p is not None and setting.interaction_p <= session.question.alpha
    if setting.standing is not Standing.NAMED or not proven or added is None or removed is None:
        return None
    _, weakest = min((abs(way.estimate.value), i) for i, way in enumerate((added, removed)))
    shows = leaves_out_zero((added, removed)[weakest], least=session.question.delta)
    return None if shows else (Kind.BOTH, Kind.EITHER)[weakest]


@dataclass(frozen=True)
class _Rows:
    """Rows that change settings from an anchor: none, each alone, each pair."""

    sets: tuple[Player, ...]

    def signs(self, cast: Cast, kind: Kind) -> Floats:
        """Shape (rows, units of the frame): from A with these at B, or from B with these at A."""
        units = cast.frame.units
        signs = np.full((len(self.sets), len(units)), -1.0)
        for row, changed in enumerate(self.sets):
            signs[row, [units.index(unit) for unit in changed]] = 1.0
        return signs if kind is Kind.BOTH else -signs


def _tried(
    session: Session, cast: Cast, kind: Kind, partners: list[Setting], alpha: float
) -> Steps[list[Pair]]:
    """Measure all pairs of the partners. Each block gives of a pair (i, j) what both cost, and
    y(ij) - y(i) - y(j) + y(): what that exceeds their sum by. From B, costs count as removed.
    """
    units = [session.unit_of(setting.factors[0]) for setting in partners]
    both = list(combinations(range(len(units)), 2))
    rows = _Rows(((), *((u,) for u in units), *((units[i], units[j]) for i, j in both)))
    sign = 1.0 if kind is Kind.BOTH else -1.0

    def value_of(costs: Floats) -> Floats:
        alone, together = costs[1 : 1 + len(units)] - costs[0], costs[1 + len(units) :] - costs[0]
        sums = np.array([alone[i] + alone[j] for i, j in both])
        return sign * np.concatenate([together, together - sums])

    players = [(unit,) for unit in cast.frame.units]
    table = cast.frame.table(rows.signs(cast, kind), players)
    values = yield from _blocks(session, Stage.TOGETHER, table, value_of)
    if not len(values):
        return []

    def seen(column: int) -> Figure:
        looks = session.question.looks[:1]
        judged = figure(values[:, column], looks=looks, alpha=alpha, tests=len(both))
        assert judged is not None, "blocks with void trials are lost"
        return judged

    found = []
    for place, (i, j) in enumerate(both):
        excess = seen(len(both) + place)
        found.append(
            Pair(
                kind=kind,
                settings=(partners[i].factors, partners[j].factors),
                effect=seen(place),
                excess=excess,
                holds=leaves_out_zero(excess, least=session.question.delta),
            )
        )
    return found
