"""Fresh blocks over a few players: the only thing that names a setting."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from dyno.stats.holm import holm
from dyno.stats.mirror.hadamard import order_for
from dyno.stats.mirror.outcome import Confirmed, Figure, Setting, Share, Standing
from dyno.stats.mirror.question import Stage, Steps
from dyno.stats.mirror.rule import Rule, figure
from dyno.stats.mirror.session import Frame, Player, Session
from dyno.stats.mirror.shares import MirroredBlock
from dyno.stats.rank import Floats

SETTINGS_MOST = 5
"""Settings that go on from screening: with the rest and the servers, seven players."""


@dataclass(frozen=True)
class Cast:
    """Who plays in a frame: each setting alone, the rest of them as one, the servers' factor."""

    frame: Frame
    settings: tuple[int, ...]
    server: int | None

    @property
    def rest(self) -> Player:
        """All settings of the frame that aren't players of their own."""
        apart = {*self.settings, self.server}
        return tuple(unit for unit in self.frame.units if unit not in apart)

    @property
    def players(self) -> tuple[Player, ...]:
        """Settings, rest, server, in the order of a block's columns."""
        found: list[Player] = [(unit,) for unit in self.settings]
        found += [self.rest] if self.rest else []
        found += [(self.server,)] if self.server is not None else []
        return tuple(found)

    def trials(self, *, both_ways: bool) -> int:
        """The trials of a confirming block."""
        added = 2 * len(self.settings) if both_ways else 0
        return 2 * order_for(len(self.players)) + 2 + added


@dataclass
class Values:
    """What the blocks gave so far, one value a block in the order of running; NaN if unknown."""

    shares: list[Floats] = field(default_factory=list)
    difference: list[float] = field(default_factory=list)
    added: list[Floats] = field(default_factory=list)
    removed: list[Floats] = field(default_factory=list)
    lost: int = 0
    cut_short: bool = False

    def __len__(self) -> int:
        return len(self.shares)

    def add(self, block: MirroredBlock, costs: Floats) -> None:
        """Take in a block's costs. Without a value for each share it is lost: that depends on void
        trials, and which of them are void doesn't depend on a harmless setting's coin.
        """
        shares = block.shares(costs)
        if shares is None:
            self.lost += 1
            return
        self.shares.append(shares)
        self.difference.append(block.difference(costs))
        self.added.append(block.added(costs))
        self.removed.append(block.removed(costs))

    @property
    def gap(self) -> Floats:
        """What of each block's difference its shares lack, shape (n,)."""
        gap: Floats = np.array(self.difference) - np.array(self.shares).sum(axis=1)
        return gap


def rule_of(session: Session, tests: int, alpha: float) -> Rule:
    """The rule for this many settings."""
    question = session.question
    return Rule(
        looks=question.looks, alpha=alpha, tests=tests, delta=question.delta, near=question.near
    )


def confirmed(session: Session, cast: Cast, alpha: float) -> Steps[tuple[Confirmed, Values] | None]:
    """Measure blocks until each setting is named or dropped, or the looks or the budget end.

    A budget that ends makes a last look of the blocks at hand. None if it has none.
    """
    both_ways = session.question.both_ways
    rule = rule_of(session, len(cast.settings), alpha)
    values = Values()
    while len(values) < rule.looks[-1]:
        is_over = values.lost > rule.looks[-1]
        if is_over or not session.affords(cast.trials(both_ways=both_ways)):
            values.cut_short = True
            break
        rows_both_ways = len(cast.settings) if both_ways else 0
        block = MirroredBlock(len(cast.players), rows_both_ways, session.rng)
        table = cast.frame.table(block.rows, cast.players)
        costs = yield from session.measure(Stage.CONFIRM, table)
        before = len(values)
        values.add(block, costs)
        if len(values) > before and len(values) in rule.looks and _is_settled(rule, cast, values):
            break
    if not len(values):
        return None
    return _summary(session, cast, rule, values), values


def _is_settled(rule: Rule, cast: Cast, values: Values) -> bool:
    shares = np.array(values.shares)[:, : len(cast.settings)]
    return Standing.OPEN not in rule.standings(shares)


def _summary(session: Session, cast: Cast, rule: Rule, values: Values) -> Confirmed:
    """The blocks' values as figures. Rest and servers are judged as strictly as settings, since
    they stand in one table; the difference and the gap at alpha.
    """
    shares = np.array(values.shares)
    others = {player: shares[:, i] for i, player in enumerate(cast.players)}

    def share_of(player: Player) -> Share | None:
        if player not in others:
            return None
        return Share(factors=session.names(player), figure=rule.figure(others[player]))

    def whole(of_blocks: Floats) -> Figure | None:
        return figure(of_blocks, looks=rule.looks, alpha=session.question.alpha)

    server = () if cast.server is None else (cast.server,)
    return Confirmed(
        settings=_settings(session, cast, rule, values),
        rest=share_of(cast.rest),
        server=share_of(server),
        difference=whole(np.array(values.difference)),
        gap=whole(values.gap),
        alpha=rule.alpha,
        blocks=len(values),
        lost=values.lost,
        cut_short=values.cut_short,
    )


def _settings(session: Session, cast: Cast, rule: Rule, values: Values) -> tuple[Setting, ...]:
    """Each setting with its share and, where measured, both ways and their difference."""
    shares, added, removed = map(np.array, (values.shares, values.added, values.removed))
    found = []
    for i, unit in enumerate(cast.settings):
        share = rule.figure(shares[:, i])
        assert share is not None, "a block that counts has all shares"
        setting = Setting(
            factors=session.names([unit]),
            standing=rule.standing(share.estimate),
            share=share,
        )
        if session.question.both_ways:
            setting = replace(
                setting,
                added=rule.figure(added[:, i]),
                removed=rule.figure(removed[:, i]),
                interaction=rule.figure(removed[:, i] - added[:, i]),
            )
        found.append(setting)
    if not session.question.both_ways:
        return tuple(found)
    alone = [figure(column, looks=rule.looks, alpha=rule.alpha) for column in (removed - added).T]
    stepped = holm([1.0 if single is None else single.p for single in alone])
    return tuple(replace(s, interaction_p=p) for s, p in zip(found, stepped, strict=True))
