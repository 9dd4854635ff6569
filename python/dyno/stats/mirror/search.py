"""The search as a whole: a machine that is asked for blocks and is given their costs.

It does no I/O and reads no clock. What it asks next follows from the question, which has the seed,
and from the answers so far, so that a search is resumed by giving it the stored answers again.
"""

from __future__ import annotations

import math
from dataclasses import replace

from dyno.stats.mirror.confirming import SETTINGS_MOST, Cast, confirmed
from dyno.stats.mirror.hadamard import MOST_FACTORS
from dyno.stats.mirror.jointly import apportioned, paired
from dyno.stats.mirror.outcome import Ending, Merge, Outcome, Round, Standing
from dyno.stats.mirror.question import Answers, Block, Question, Steps
from dyno.stats.mirror.rule import leaves_out_zero
from dyno.stats.mirror.screening import Plan, planned, screened, started
from dyno.stats.mirror.session import Frame, Session


class Search:
    """Asks for one block after the other.

    `block` is what to measure next, `outcome` what was found; one of the two is None. Raises
    ValueError for more factors than a design takes: merge some of them before.
    """

    def __init__(self, question: Question) -> None:
        if len(question.factors) > MOST_FACTORS:
            raise ValueError(f"{len(question.factors)} factors are more than {MOST_FACTORS}")
        self.question = question
        self.block: Block | None = None
        self.outcome: Outcome | None = None
        self._session = Session(question)
        self._steps = _search(self._session)
        self._go_on(None)

    def put(self, costs: Answers, *, last: bool = False) -> None:
        """Take the log costs of the block's rows, None for void ones, and choose what comes next.

        `last`: nothing is measured after it, as if the budget ended here. Rows may still be asked
        to start. Raises ValueError if no block is open, for another number of costs than rows, and
        for a cost that isn't finite.
        """
        if self.block is None:
            raise ValueError("the search has ended, and asked for nothing")
        if len(costs) != len(self.block.rows):
            raise ValueError(f"{len(costs)} costs for {len(self.block.rows)} rows")
        if not all(cost is None or math.isfinite(cost) for cost in costs):
            raise ValueError(f"a cost is finite, or None if its trial is void, got {list(costs)}")
        self._session.spent = last
        self._go_on(costs)

    def _go_on(self, costs: Answers | None) -> None:
        try:
            self.block = next(self._steps) if costs is None else self._steps.send(costs)
        except StopIteration as end:
            self.block, self.outcome = None, end.value


def _search(session: Session) -> Steps[Outcome]:
    if not session.question.is_worth_asking:
        return _outcome(session, Ending.NO_DIFFERENCE)
    plan, merges = yield from started(session)
    if len(session.units) == 1:
        return _outcome(session, Ending.ONE_FACTOR, merges=merges)
    first = yield from _round(session, plan, session.question.alpha)
    if first.confirmed is None:
        nothing_seen = first.screened is not None and not first.screened.suspects
        ending = Ending.NONE_FOUND if nothing_seen else Ending.TOO_FEW
        return _outcome(session, ending, merges=merges, first=first)
    opened = yield from _opened(session, plan.frame, first)
    return _outcome(session, Ending.CONFIRMED, merges=merges, first=first, opened=opened)


def _outcome(
    session: Session,
    ending: Ending,
    *,
    merges: tuple[Merge, ...] = (),
    first: Round | None = None,
    opened: Round | None = None,
) -> Outcome:
    return Outcome(
        ending=ending,
        first=first,
        opened=opened,
        merges=merges,
        refused=session.refused,
        trials=session.trials,
        starts=session.starts,
        seed=session.question.seed,
    )


def _round(session: Session, plan: Plan, alpha: float) -> Steps[Round]:
    """Screen if there are many units, confirm the largest, and look at what depends on what."""
    server = session.server
    settings = tuple(unit for unit in plan.frame.units if unit != server)
    seen = None
    if plan.screens:
        seen = yield from screened(session, plan, spare=_spare(session, plan.frame))
        if seen is None or not seen.suspects:
            return Round(screened=seen, confirmed=None)
        largest = seen.suspects[:SETTINGS_MOST]
        settings = tuple(session.unit_of(suspect.factors[0]) for suspect in largest)
    cast = Cast(plan.frame, settings, server)
    proven = yield from confirmed(session, cast, alpha)
    if proven is None:
        return Round(screened=seen, confirmed=None)
    found, values = proven
    joint = yield from apportioned(session, cast, found, values)
    pairs = yield from paired(session, cast, found)
    return Round(screened=seen, confirmed=replace(found, joint=joint, pairs=pairs))


def _spare(session: Session, frame: Frame) -> int:
    """Trials that confirming blocks need up to their first look, with the most settings."""
    most = Cast(frame, frame.units[:SETTINGS_MOST], None)
    both_ways = session.question.both_ways
    return session.question.looks[0] * most.trials(both_ways=both_ways)


def _opened(session: Session, frame: Frame, first: Round) -> Steps[Round | None]:
    """The rest once more, if it matters: its settings and the servers vary, all others are at B.

    It is judged at the part of alpha that belonged to settings that were named. They have proven
    that they contribute, and need it no more, so that both rounds together keep alpha: with h
    harmless settings among k, the first names one with probability h alpha / k at most, and if it
    didn't, at most k - h were named (the step of Holm's rule, for hypotheses that come later).
    """
    found = first.confirmed
    if found is None or found.rest is None or found.rest.figure is None:
        return None
    named = sum(setting.standing is Standing.NAMED for setting in found.settings)
    if not named or not leaves_out_zero(found.rest.figure, least=session.question.worth):
        return None
    rest = {session.unit_of(name) for name in found.rest.factors}
    varied = tuple(unit for unit in frame.units if unit in rest or unit == session.server)
    if len(varied) < 2:
        return None
    plan = planned(session, Frame(len(session.units), varied))
    alpha = session.question.alpha * named / len(found.settings)
    opened = yield from _round(session, plan, alpha)
    return opened
