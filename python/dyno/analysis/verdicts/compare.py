"""Comparisons: from samples to ratios with intervals, states and sentences."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

from dyno.analysis.part import BlockValue
from dyno.analysis.samples import Samples
from dyno.analysis.verdicts import wording
from dyno.analysis.verdicts.model import Compared, State
from dyno.analysis.verdicts.wording import Words
from dyno.spec.plan import Comparison, Plan
from dyno.spec.units import plural
from dyno.stats import Contrasts, Design, Look, holm, judge, looked, stopping_look
from dyno.stats import State as LookState
from dyno.store.host import Floor


@dataclass(frozen=True)
class Judged:
    """A comparison with its last look (None before the first) and the look that settled it."""

    comparison: Comparison
    contrasts: Contrasts
    look: Look | None
    settled: Look | None

    @property
    def n(self) -> int:
        """How many blocks have both quantities."""
        return len(self.contrasts.blocks)


def design_of(plan: Plan, floor: Floor | None) -> Design:
    """The plan's sequential design; delta is at least twice the host's A/A bias."""
    return Design(
        looks=tuple(plan.looks),
        alpha=plan.protocol.alpha,
        delta=max(math.log1p(plan.protocol.delta), 2 * floor.bias if floor else 0.0),
        target=math.log1p(plan.protocol.target),
    )


def judge_all(plan: Plan, samples: Samples, design: Design, *, over: bool) -> list[Judged]:
    """All comparisons at their last look; `over`: the budget ended the run, so n is a look too."""
    found = []
    for comparison in plan.comparisons:
        contrasts = samples.contrasts(comparison)
        looks = looks_at(contrasts, design, over=over)
        found.append(
            Judged(
                comparison=comparison,
                contrasts=contrasts,
                look=looks[-1] if looks else None,
                settled=stopping_look(looks),
            )
        )
    return found


def looks_at(contrasts: Contrasts, design: Design, *, over: bool) -> list[Look]:
    """All looks so far; the last of a run that is over may lie between the planned ones."""
    looks = list(looked(contrasts.values, design))
    n = len(contrasts.values)
    if over and n and n not in design.looks and n < design.last:
        looks.append(judge(contrasts.values, design, final=True))
    return looks


def compared(plan: Plan, judged: list[Judged]) -> list[Compared]:
    """Findings of all comparisons; Holm's adjustment runs over the primary ones."""
    primary = [j for j in judged if j.comparison.primary and j.look is not None]
    adjusted = dict(
        zip(
            (id(j) for j in primary),
            holm([j.look.p for j in primary if j.look is not None]),
            strict=True,
        )
    )
    return [_compared(plan, j, adjusted.get(id(j))) for j in judged]


def _compared(plan: Plan, judged: Judged, holm_p: float | None) -> Compared:
    comparison, look = judged.comparison, judged.look
    point = comparison.numerator.point
    return Compared(
        numerator_arm=comparison.numerator.arm,
        numerator_op=comparison.numerator.op,
        denominator_arm=comparison.denominator.arm,
        denominator_op=comparison.denominator.op,
        metric=comparison.numerator.metric,
        point=point,
        point_label=wording.level_of(comparison.numerator, plan),
        primary=comparison.primary,
        n=look.n if look else judged.n,
        ratio=look.estimate.through(math.exp) if look else None,
        mean=look.mean.through(math.exp) if look else None,
        tail_driven=look.tail_driven if look else False,
        p=look.p if look else None,
        holm_p=holm_p,
        mde=math.expm1(look.mde) if look and math.isfinite(look.mde) else None,
        state=state_of(look),
        sentence=sentence(wording.words(comparison, plan), look, n=judged.n),
        blocks=[
            BlockValue(block=block, value=math.exp(value))
            for block, value in zip(
                judged.contrasts.blocks, judged.contrasts.values.tolist(), strict=True
            )
        ],
    )


def state_of(look: Look | None) -> State:
    """The four words of the findings for the states of a look."""
    match look.state if look else None:
        case LookState.DIFFERENT:
            return "different"
        case LookState.EQUIVALENT:
            return "equivalent"
        case LookState.PRECISE:
            return "precise"
        case _:
            return "undecided"


def sentence(words: Words, look: Look | None, *, n: int) -> str:
    """What a comparison says, or that it can't tell yet and what it could have seen."""
    head, who, whom, metric = words.head, words.who, words.whom, words.metric
    if look is None:
        return (
            f"{head}can't tell yet whether {who} differs from {whom}: {plural(n, 'block')} so far."
        )
    change = partial(wording.change, look.estimate, n=look.n, metric=metric)
    timed = metric in wording.TIMES
    it = who if timed else "it"
    equal = f"{who} and {whom} are equal" if timed else f"{who} equals {whom}"
    match look.state:
        case LookState.DIFFERENT:
            return f"{head}{who} {change(than=whom)}."
        case LookState.EQUIVALENT:
            return f"{head}{equal} within the margin: {it} {change()}."
        case LookState.PRECISE:
            return f"{head}{who} against {whom}, measured precisely: {it} {change()}."
        case _:
            seen = (
                f"; a difference of {wording.percent(look.mde)} would have been seen"
                if math.isfinite(look.mde)
                else ""
            )
            return f"{head}can't tell whether {who} differs from {whom}: {it} {change()}{seen}."
