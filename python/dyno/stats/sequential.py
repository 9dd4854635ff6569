"""The group-sequential rule: what one look says, and when to stop.

All sizes are log ratios. The interval of a look is the repeated confidence interval, the signed-
rank interval at level 1 - p* (Jennison & Turnbull 1989, JRSS B 51): all looks together miss the
truth with probability at most alpha, so it may be read at any look, whatever rule stopped the run.
That is what makes "precise", "futile" or a claim's verdict safe as further reasons to stop.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from dyno.looks import LOOKS
from dyno.stats.boundary import checked_looks, p_star, sequential_p
from dyno.stats.effect import smallest_effect
from dyno.stats.estimate import Estimate
from dyno.stats.mean import student_mean
from dyno.stats.rank import signed_rank

ONE_PERCENT = math.log1p(0.01)
"""The log ratio of a difference of 1 %."""

FUTILE_FROM = 18
"""Futility isn't asked before this many blocks: earlier half-widths are too rough to project."""

BIASES = 2.0
"""A difference must be larger than this many times what two copies of one server differ by."""

_ROUNDING = 1e-12
"""A mean of equal contrasts may leave their interval of width 0 by its last bit."""


class State(StrEnum):
    """What a look says; every state but `CONTINUE` ends the comparison."""

    DIFFERENT = "different"
    EQUIVALENT = "equivalent"
    PRECISE = "precise"
    FUTILE = "futile"
    CONTINUE = "continue"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, kw_only=True)
class Design:
    """A sequential comparison, fixed before the first block.

    `delta` is the practical floor, below which nothing is called a difference; `target` the half-
    width at which the estimate is precise enough. Both are log ratios. `p_star` follows from looks
    and alpha. Raises ValueError for values out of range.
    """

    looks: tuple[int, ...] = LOOKS
    alpha: float = 0.05
    delta: float = ONE_PERCENT
    target: float = ONE_PERCENT
    p_star: float = field(init=False)

    def __post_init__(self) -> None:
        checked_looks(self.looks)
        if not (0 <= self.delta < math.inf and 0 <= self.target < math.inf):
            raise ValueError(f"delta {self.delta} and target {self.target} can't be negative")
        object.__setattr__(self, "p_star", p_star(self.looks, self.alpha))

    @property
    def last(self) -> int:
        """The number of blocks at which the comparison ends in any case."""
        return self.looks[-1]

    def next_look(self, n: int) -> int | None:
        """The first look after n blocks, or None after the last one."""
        return next((look for look in self.looks if look > n), None)


@dataclass(frozen=True, kw_only=True)
class Look:
    """One look at n blocks; sizes are log ratios.

    The interval of `estimate` is the repeated one (None if n is too small to bound anything).
    `p` is the sequential p: valid after several looks, and the input for Holm. `mde` is the
    smallest effect that could have been seen, see `smallest_effect`. `tail_driven` says that the
    mean lies outside the interval: a few slow blocks matter more than the typical one. `bias` is
    what `judge` was given.
    """

    n: int
    state: State
    estimate: Estimate
    p: float
    mde: float
    mean: Estimate
    tail_driven: bool
    bias: float = 0.0

    @property
    def stops(self) -> bool:
        """Whether the comparison ends here."""
        return self.state is not State.CONTINUE

    @property
    def is_barred(self) -> bool:
        """Whether two copies of one server differ by too much for this to be a difference."""
        return is_barred(self.estimate, self.bias)


@dataclass(frozen=True, kw_only=True)
class SoFar:
    """Estimate and interval between looks, for display only: nothing may be decided on it.

    The interval is the signed-rank one at level 1 - p*. At this n alone it is right in
    1 - p* of all sessions, but it isn't one of the looks that share alpha: whoever watches it after
    every block and stops once it excludes 0 errs more often than alpha (in 9 % of A/A sessions at
    the defaults).
    """

    n: int
    next_look: int | None
    estimate: Estimate


def is_barred(estimate: Estimate, bias: float) -> bool:
    """Whether an estimate is at most twice the difference between two copies of one server."""
    return bias > 0 and abs(estimate.value) <= BIASES * bias


def decide(
    estimate: Estimate, *, n: int, design: Design, final: bool = False, bias: float = 0.0
) -> State:
    """The state at n blocks from an estimate with its repeated interval, in log ratios.

    `bias` is the difference between two copies of one server in the same blocks. In this order:
    different, the interval excludes 0 and |estimate| >= delta and > twice the bias; equivalent, the
    interval lies inside +-delta; precise, its half-width is at most the target; inconclusive, this
    is the last look or `final`; futile, from 18 blocks on, the half-width projected to the last
    look, half-width * sqrt(n / last), is still above twice the target and above |estimate|, so that
    neither precision nor a difference is in sight; else continue.
    """
    half_width, (low, high) = estimate.half_width, estimate.bounds
    shows = abs(estimate.value) >= design.delta and not is_barred(estimate, bias)
    if (low > 0 or high < 0) and shows:
        return State.DIFFERENT
    if low > -design.delta and high < design.delta:
        return State.EQUIVALENT
    if half_width <= design.target:
        return State.PRECISE
    if final or n >= design.last:
        return State.INCONCLUSIVE
    projected = half_width * math.sqrt(n / design.last)
    if n >= FUTILE_FROM and projected > max(2 * design.target, abs(estimate.value)):
        return State.FUTILE
    return State.CONTINUE


def judge(
    contrasts: npt.ArrayLike, design: Design, *, final: bool = False, bias: float = 0.0
) -> Look:
    """Judge the contrasts at their n, which must be one of the looks unless `final`.

    `bias`, a log ratio >= 0, is the size of the control's contrast in the same blocks: a contrast
    that isn't twice as large is no difference. It only removes differences, so alpha holds.

    `contrasts`: shape (n,), log ratios in the order in which the blocks ran. `final` says that the
    budget ended between looks: this n then takes the place of the looks that never happened. That
    is sound because elapsed time doesn't depend on which of two equal arms had which name; it isn't
    for a run that somebody stopped after seeing an interval (use the last look then, `looked`).
    Raises ValueError for an n that isn't a look, and for contrasts that aren't finite.
    """
    values = np.asarray(contrasts, dtype=np.float64)
    n = len(values)
    if n not in design.looks and not (final and n < design.last):
        raise ValueError(f"{n} blocks aren't a look; the looks are {design.looks}")
    rank = signed_rank(values, p_star=design.p_star)
    mean = student_mean(values, p_star=design.p_star)
    low, high = rank.estimate.bounds
    return Look(
        n=n,
        state=decide(rank.estimate, n=n, design=design, final=final, bias=bias),
        estimate=rank.estimate,
        p=sequential_p(values, design.looks, final=final),
        mde=smallest_effect(
            n=n,
            half_width=rank.estimate.half_width,
            p_star=design.p_star,
            delta=max(design.delta, BIASES * bias),
        ),
        mean=mean,
        tail_driven=max(low - mean.value, mean.value - high) > _ROUNDING,
        bias=bias,
    )


def looked(
    contrasts: npt.ArrayLike, design: Design, bias_at: Callable[[int], float] = lambda n: 0.0
) -> tuple[Look, ...]:
    """Every look that the contrasts have reached, oldest first; empty before the first. `bias_at`
    gives the bias of `judge` at n blocks.

    Looks after a stop are included (another comparison may have kept the run going); each interval
    of the row may be read.
    """
    values = np.asarray(contrasts, dtype=np.float64)
    return tuple(
        judge(values[:n], design, bias=bias_at(n)) for n in design.looks if n <= len(values)
    )


def so_far(contrasts: npt.ArrayLike, design: Design) -> SoFar:
    """Estimate and display interval at any n >= 1: not a look, see `SoFar`."""
    values = np.asarray(contrasts, dtype=np.float64)
    rank = signed_rank(values, p_star=design.p_star)
    return SoFar(
        n=len(values),
        next_look=design.next_look(len(values)),
        estimate=rank.estimate,
    )


def stopping_look(looks: Sequence[Look]) -> Look | None:
    """The first look that ends the comparison, or None while it goes on."""
    return next((look for look in looks if look.stops), None)
