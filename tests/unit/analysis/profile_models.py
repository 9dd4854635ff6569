"""Synthetic profiles of two arms: what comparing them is tried against. Not a forecast.

400 functions with Zipf's shares. A trial's whole cost varies by 1.5 %, each function's by 3 %, and
its samples are a multinomial draw. Costs are shares of the baseline's; the last one is a function
that only the arm may have.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from dyno.analysis.profiles import ProfiledTrial
from dyno.stats import Floats, Sampled
from dyno.store.stacks import Frame, Stack

Rng = np.random.Generator
FUNCTIONS = 400
# 99 samples a second of 1.8 busy CPUs for 20 s.
SAMPLES = 3564
BLOCKS = 8
OPS = 10_000


def zipf() -> Floats:
    shares = 1 / (np.arange(FUNCTIONS) + 3.0) ** 1.15
    return np.append(shares / shares.sum(), 0.0)


BASELINE = zipf()


def nearest(*shares: float) -> list[int]:
    """The functions with about these shares, each once."""
    free = BASELINE.copy()
    found = []
    for share in shares:
        found.append(int(np.argmin(np.abs(free - share))))
        free[found[-1]] = np.inf
    return found


# By share: 8, 2, .5 and .2 % become dearer; 3 % is renamed; 1.5 % goes into its caller of 4 %.
*DEARER, RENAMED, CALLER, INLINED = nearest(0.08, 0.02, 0.005, 0.002, 0.03, 0.04, 0.015)
PLANTED = (0.02, 0.01, 0.005, 0.002)
NEW = FUNCTIONS


def dearer() -> Floats:
    """The arm's costs with the four dearer functions."""
    costs = BASELINE.copy()
    costs[DEARER] += PLANTED
    return costs


def rebuilt(costs: Floats) -> Floats:
    """Costs with the one function under its other name, and the other inside its caller."""
    costs = costs.copy()
    costs[NEW], costs[RENAMED] = costs[RENAMED], 0.0
    costs[CALLER] += costs[INLINED]
    costs[INLINED] = 0.0
    return costs


def drawn(
    rng: Rng, costs: Floats, *, samples: int, blocks: int = BLOCKS
) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Whole costs, shape (blocks,), and samples, (blocks, functions), of an arm's trials."""
    varied = costs * np.exp(0.03 * rng.standard_normal((blocks, len(costs))))
    sums = varied.sum(axis=1)
    whole = sums * np.exp(0.015 * rng.standard_normal(blocks))
    return whole, rng.multinomial(samples, varied / sums[:, None])


def sampled(rng: Rng, costs: Floats, *, samples: int = SAMPLES, blocks: int = BLOCKS) -> Sampled:
    """An arm's trials as counts, in points of the baseline's cost."""
    whole, counts = drawn(rng, costs, samples=samples, blocks=blocks)
    return Sampled(
        per_op=100 * whole,
        counts=counts.astype(np.float64),
        totals=counts.sum(axis=1).astype(np.float64),
    )


@dataclass(frozen=True)
class Arms:
    arm: list[ProfiledTrial]
    baseline: list[ProfiledTrial]


def profiled(rng: Rng, arm: Floats, *, samples: int = SAMPLES, blocks: int = BLOCKS) -> Arms:
    """Both arms' trials with stacks, as a profiler finds them."""
    sides = []
    for costs in (arm, BASELINE):
        whole, counts = drawn(rng, costs, samples=samples, blocks=blocks)
        sides.append([_trial(block, whole[block], counts[block]) for block in range(blocks)])
    return Arms(*sides)


def name_of(function: int) -> str:
    return "row_upd_new" if function == NEW else f"row_upd_{function}"


@cache
def stack_of(function: int) -> Stack:
    """Each function has one of 7 callers; the renamed one keeps its own."""
    caller = f"handler_{(RENAMED if function == NEW else function) % 7}"
    names = ["do_command", "dispatch_command", caller]
    if function == INLINED:
        names.append(name_of(CALLER))
    return tuple(Frame("mariadbd", name) for name in [*names, name_of(function)])


def _trial(block: int, whole: float, counts: npt.NDArray[np.int64]) -> ProfiledTrial:
    stacks = Counter({stack_of(at): int(n) for at, n in enumerate(counts) if n})
    return ProfiledTrial(block=block, stacks=stacks, cpu_s=float(whole), ops=OPS)
