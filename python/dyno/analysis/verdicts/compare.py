"""Comparisons: from samples to ratios with intervals, states and sentences."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

from dyno.analysis.part import BlockValue
from dyno.analysis.samples import Samples
from dyno.analysis.verdicts import wording
from dyno.analysis.verdicts.control import BiasAt, Control, no_bias
from dyno.analysis.verdicts.model import Compared, SpreadRead, State
from dyno.analysis.verdicts.spread import Trials, spread_of
from dyno.analysis.verdicts.wording import Words
from dyno.spec.plan import Comparison, Plan
from dyno.spec.units import plural
from dyno.stats import Contrasts, Design, Estimate, Look, holm, judge, looked, stopping_look
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

    def spread(self, trials: Trials, design: Design) -> SpreadRead | None:
        """Where its spread comes from; None before the first look."""
        if self.look is None:
            return None
        return spread_of(trials, self.comparison, self.contrasts, self.look, design)


def design_of(plan: Plan, floor: Floor | None) -> Design:
    """The plan's sequential design. Without a control arm delta is at least twice the host's A/A
    bias; with one, `judge` gets the control's contrast.
    """
    if plan.control is not None:
        floor = None
    return Design(
        looks=tuple(plan.looks),
        alpha=plan.protocol.alpha,
        delta=max(math.log1p(plan.protocol.delta), 2 * floor.bias if floor else 0.0),
        target=math.log1p(plan.protocol.target),
    )


def judge_all(plan: Plan, samples: Samples, design: Design, *, over: bool) -> list[Judged]:
    """All comparisons at their last look; `over`: the budget ended the run, so n is a look too."""
    control = Control.of(plan, samples)
    return [
        _judged(each, samples.contrasts(each), design, over=over, control=control)
        for each in plan.comparisons
    ]


def judge_controls(plan: Plan, samples: Samples, design: Design, *, over: bool) -> list[Judged]:
    """The control arm's comparisons that have a block."""
    found = (_judged(each, samples.contrasts(each), design, over=over) for each in plan.controls)
    return [judged for judged in found if judged.n]


def _judged(
    comparison: Comparison,
    contrasts: Contrasts,
    design: Design,
    *,
    over: bool,
    control: Control | None = None,
) -> Judged:
    bias_at = control.bias_beside(comparison, contrasts) if control else no_bias
    looks = _looks_at(contrasts, design, over=over, bias_at=bias_at)
    return Judged(
        comparison=comparison,
        contrasts=contrasts,
        look=looks[-1] if looks else None,
        settled=stopping_look(looks),
    )


def ratio_so_far(
    contrasts: Contrasts, design: Design, *, over: bool
) -> tuple[int, Estimate | None]:
    """The log ratio at the last look, and over how many blocks; before the first look None, and how
    many blocks there are.
    """
    looks = _looks_at(contrasts, design, over=over)
    return (looks[-1].n, looks[-1].estimate) if looks else (len(contrasts.blocks), None)


def _looks_at(
    contrasts: Contrasts, design: Design, *, over: bool, bias_at: BiasAt = no_bias
) -> list[Look]:
    """All looks so far; the last look of a finished run may lie between the planned ones."""
    looks = list(looked(contrasts.values, design, bias_at))
    n = len(contrasts.values)
    if over and n and n not in design.looks and n < design.last:
        looks.append(judge(contrasts.values, design, final=True, bias=bias_at(n)))
    return looks


def compared(plan: Plan, judged: list[Judged], trials: Trials, design: Design) -> list[Compared]:
    """Findings of all comparisons; Holm's adjustment covers the primary ones."""
    primary = [j for j in judged if j.comparison.primary and j.look is not None]
    adjusted = dict(
        zip(
            (id(j) for j in primary),
            holm([j.look.p for j in primary if j.look is not None]),
            strict=True,
        )
    )
    return [_compared(plan, j, adjusted.get(id(j)), j.spread(trials, design)) for j in judged]


def _compared(
    plan: Plan, judged: Judged, holm_p: float | None, spread: SpreadRead | None
) -> Compared:
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
        spread=spread,
        blocks=[
            BlockValue(block=block, value=math.exp(value))
            for block, value in zip(
                judged.contrasts.blocks, judged.contrasts.values.tolist(), strict=True
            )
        ],
    )


def state_of(look: Look | None) -> State:
    """The findings' four words for the states of a look."""
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
    """What a comparison says, or that it can't say yet, and what it could have seen."""
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
            return f"{head}{who} against {whom}, measured precisely: {it} {change()}{_apart(look)}."
        case _:
            seen = _apart(look)
            if not seen and math.isfinite(look.mde):
                seen = f"; a difference of {wording.percent(look.mde)} would have been seen"
            return f"{head}can't tell whether {who} differs from {whom}: {it} {change()}{seen}."


def _apart(look: Look) -> str:
    """How large the control's contrast is, if it bars the difference."""
    if not look.is_barred:
        return ""
    return f"; two copies of one server lie {wording.percent(look.bias)} apart"
