"""The folder of a search for causes -> Causes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, datetime

from dyno.analysis.why.judge import WhyJudge
from dyno.analysis.why.model import CauseRead, Causes, FactorRead, SearchRead
from dyno.analysis.why.model import Standing as Mark
from dyno.analysis.why.rows import SERVERS, names_of
from dyno.analysis.why.words import answer, sides, values_of
from dyno.spec.changed import changed
from dyno.spec.why import Explained, Factor
from dyno.stats import Estimate
from dyno.stats.mirror import Confirmed, Figure, Outcome, Pair, Setting, Share, points
from dyno.store.run import RunFolder


def find_causes(folder: RunFolder) -> Causes:
    """Everything that the folder shows. A search that isn't over names nothing; one whose budget is
    spent ends with the blocks that it has.

    Raises StoreError for a folder that can't be read.
    """
    plan = folder.plan()
    target = plan.explains
    assert target is not None
    state = folder.state()
    judge = WhyJudge(plan, starts=lambda arm: True, over=state.state == "complete")
    outcome = judge(folder).outcome
    confirmed = _confirmed(outcome)
    causes = list(_causes(confirmed, target)) if confirmed else []
    trials = list(folder.trials())
    lost = [trial.no_figure_reason for trial in trials if not trial.is_good]
    started = datetime.fromtimestamp(state.started_unix_ms / 1000, UTC)
    screened = outcome.first.screened if outcome and outcome.first else None
    return Causes(
        name=plan.name,
        title=plan.title,
        explained=target,
        point=plan.points[0].label,
        run=SearchRead(
            id=folder.path.name,
            state=state.state,
            reason=state.reason,
            elapsed_s=state.elapsed_s,
            started=f"{started:%Y-%m-%d %H:%M} UTC",
            dyno=state.dyno,
            repeat=state.command,
            trials=len(trials),
            void=len(lost),
            starts=len(target.starts),
        ),
        ending=outcome.ending.value if outcome else "not over",
        answer=list(answer(target, outcome, causes, trials=len(trials), lost=lost)),
        causes=causes,
        factors=[_factor(factor) for factor in target.factors],
        merges=_merges(outcome),
        suspects=[" with ".join(s.factors) for s in screened.suspects] if screened else [],
        confirmed_blocks=confirmed.blocks if confirmed else 0,
        resolution_pct=100 * math.expm1(screened.resolution) if screened else None,
    )


def _confirmed(outcome: Outcome | None) -> Confirmed | None:
    return outcome.first.confirmed if outcome and outcome.first else None


def _factor(factor: Factor) -> FactorRead:
    first, second = sides(factor)
    return FactorRead(name=factor.name, first=first, second=second, merged=factor.merged)


def _causes(found: Confirmed, target: Explained) -> Iterator[CauseRead]:
    """The rows of the table, which add up: settings by size, the rest, the servers, the gap."""
    parts = list(_parts(found, target))
    shown = [part for part in parts if part.points is not None]
    whole = found.difference.estimate if found.difference else Estimate(target.cost)
    table = points([part.points for part in shown if part.points], whole)
    placed = {id(part): place for place, part in enumerate(shown)}
    for part in parts:
        place = placed.get(id(part))
        if place is None:
            yield part
            continue
        yield changed(part, points=table.rows[place], rounded=table.rounded[place])


def _parts(found: Confirmed, target: Explained) -> Iterator[CauseRead]:
    """The same in log units."""
    if found.joint is not None:
        for share in found.joint.shares:
            yield _part(_name(share.factors), _mark(share, target), share.figure, target)
        return
    held = [pair for pair in found.pairs if pair.holds]
    paired = {names for pair in held for names in pair.settings}
    alone = [_setting(s, target) for s in found.settings if s.factors not in paired]
    together = [_pair(pair, found, target) for pair in held]
    yield from sorted(alone + together, key=lambda c: -abs(c.points.value if c.points else 0))
    if found.rest is not None:
        count = len(found.rest.factors)
        words = "the other setting" if count == 1 else f"the other {count} settings together"
        yield _part(words, "rest", found.rest.figure, target)
    if found.server is not None:
        yield _part(_name(found.server.factors), "servers", found.server.figure, target)
    if found.gap is not None and _leaves_out_zero(found.gap, target):
        yield _part("what three or more do together, not apportioned", "gap", found.gap, target)


def _setting(setting: Setting, target: Explained) -> CauseRead:
    part = _part(_name(setting.factors), setting.standing.value, setting.share, target)
    return changed(part, added=_pct(setting.added), removed=_pct(setting.removed))


def _pair(pair: Pair, found: Confirmed, target: Explained) -> CauseRead:
    """One row for two settings that only act together, or of which either is enough: a row for each
    would give wrong advice. Its bounds are the sums of both, which is wider than necessary.
    """
    both = [s.share for names in pair.settings for s in found.settings if s.factors == names]
    ends = [share.estimate.interval for share in both]
    known = [interval for interval in ends if interval is not None]
    interval = (sum(low for low, _ in known), sum(high for _, high in known))
    points_ = Estimate(
        sum(share.estimate.value for share in both), interval if len(known) == 2 else None
    )
    first, second = map(_name, pair.settings)
    return CauseRead(
        name=f"{first} and {second} ({pair.kind.value})",
        standing="named",
        points=points_,
        rounded=None,
        n=min(share.n for share in both),
        p=max(share.p for share in both),
        added=None,
        removed=None,
        values="; ".join(values_of(name, target) for name in (first, second)),
    )


def _leaves_out_zero(figure: Figure, target: Explained) -> bool:
    low, high = figure.estimate.bounds
    return (low > 0 or high < 0) and abs(figure.estimate.value) >= target.delta


def _mark(share: Share, target: Explained) -> Mark:
    names = names_of(target)
    if target.server and names[-1] in share.factors:
        return "servers"
    return "named" if share.figure and _leaves_out_zero(share.figure, target) else "open"


def _name(names: tuple[str, ...]) -> str:
    others = [name for name in names if name != SERVERS]
    if SERVERS in names and len(others) > 1:
        return f"{SERVERS} and {len(others)} settings"  # Which ones, the merges say.
    return " with ".join(names)


def _merges(outcome: Outcome | None) -> list[str]:
    """What changes together, without what a later merge has made larger."""
    found = [merge.factors for merge in outcome.merges] if outcome else []
    return [
        " with ".join(names)
        for place, names in enumerate(found)
        if not any(set(names) < set(later) for later in found[place + 1 :])
    ]


def _part(name: str, standing: Mark, figure: Figure | None, target: Explained) -> CauseRead:
    return CauseRead(
        name=name,
        standing=standing,
        points=figure.estimate if figure else None,
        rounded=None,
        n=figure.n if figure else 0,
        p=figure.p if figure else None,
        added=None,
        removed=None,
        values=values_of(name, target),
    )


def _pct(figure: Figure | None) -> Estimate | None:
    return figure.estimate.through(lambda value: 100 * math.expm1(value)) if figure else None
