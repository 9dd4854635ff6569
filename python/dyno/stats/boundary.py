"""What repeated looks cost: the looks, their common p*, and the p-value of a whole sequence.

A comparison is looked at after n_1 < ... < n_K blocks and called significant at the first look
whose two-sided signed-rank p is at most p*. If the arms are equal, the signs of the contrasts
are the fair coins that drew the order inside the blocks, so the joint law of the K p-values doesn't
depend on the metric, and one p* serves all (group-sequential test with a constant boundary: Pocock
1977, Biometrika 64; Jennison & Turnbull, "Group Sequential Methods", chapters 2 and 9). The law
across looks takes the sizes |d| as exchangeable; within one look it needs only the coins.

This says when a difference may be called. When to stop, and what to report, is in `sequential`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from dyno.looks import LOOKS, LOOKS_PUBLIC
from dyno.stats.rank import Floats, attained_level, p_value, two_sided_p

SEED = 20_260_101
"""Seed of every null distribution that is simulated on demand: same looks, same p*."""

SESSIONS = 200_000
"""Simulated sessions on demand: the standard error of a false-positive rate of .05 is .0005."""

_SHIPPED: dict[tuple[int, ...], dict[float, float]] = {
    LOOKS: {
        0.05: 0.013919340630960342,
        0.01: 0.002755763063412771,
        0.005: 0.0013803195720999296,
    },
    LOOKS_PUBLIC: {
        0.05: 0.01531204751384152,
        0.01: 0.0028514862060546875,
        0.005: 0.001654895925714328,
    },
}
"""p* by looks and alpha: the smaller of `calibrate` with 4,000,000 and with `SESSIONS` sessions.

Seed `SEED`. By the first simulation they attain .0496, .0098, .0049 and .0497, .0100, .0049; by the
second `sequential_p`, which draws on it, never says more than alpha where p* was crossed.
"""

_CHUNK = 25_000


def checked_looks(looks: Sequence[int]) -> tuple[int, ...]:
    """The looks as a tuple; ValueError unless they are positive and strictly ascending."""
    result = tuple(int(n) for n in looks)
    if not result or result[0] < 1 or any(b <= a for a, b in pairwise(result)):
        raise ValueError(f"looks must be positive and ascending, got {result}")
    return result


@lru_cache(maxsize=32)
def null_minima(looks: tuple[int, ...], *, sessions: int, seed: int) -> Floats:
    """Sorted simulated minima over all looks of the two-sided p under equal arms; read-only.

    Shape (sessions,). No contrast is drawn: a session is a random order of its blocks by |d| and a
    coin for each; the blocks inside a look keep that order, which gives their ranks.
    """
    looks = checked_looks(looks)
    rng = np.random.default_rng(seed)
    minima = np.ones(sessions)
    for start in range(0, sessions, _CHUNK):
        size = min(_CHUNK, sessions - start)
        blocks = np.broadcast_to(np.arange(looks[-1], dtype=np.uint16), (size, looks[-1]))
        block_by_size = rng.permuted(blocks, axis=1)
        positive = rng.integers(0, 2, (size, looks[-1]), dtype=np.bool_)
        smallest = minima[start : start + size]
        for n in looks:
            inside = block_by_size < n
            rank = np.cumsum(inside, axis=1, dtype=np.int32)
            w_plus = np.sum(rank, axis=1, where=inside & positive, dtype=np.int64)
            tail = np.minimum(w_plus, n * (n + 1) // 2 - w_plus)
            np.minimum(smallest, two_sided_p(n, tail), out=smallest)
    minima.sort()
    minima.setflags(write=False)
    return minima


def calibrate(looks: Sequence[int], alpha: float, *, sessions: int, seed: int) -> float:
    """The largest p* at which the simulated P(p <= p* at any look | equal arms) is at most alpha.

    A value that some look's p can attain, or 0.0 if no look can reject at this alpha.
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1, got {alpha}")
    minima = null_minima(checked_looks(looks), sessions=sessions, seed=seed)
    # The session under test counts as one of the null's, as in every Monte Carlo test: at most
    # `allowed` simulated ones may be as small. The next higher value would be one too many.
    allowed = int(alpha * (sessions + 1)) - 1
    if allowed < 1:
        return 0.0
    below = int(np.searchsorted(minima, minima[allowed], side="left"))
    return float(minima[below - 1]) if below > 0 else 0.0


def p_star(looks: Sequence[int], alpha: float) -> float:
    """The per-look p* for overall two-sided error alpha: shipped, exact (one look) or simulated.

    0.0 if the looks can't reject at all (too few blocks for this alpha): the interval is then
    infinite and nothing is ever called different.
    """
    looks = checked_looks(looks)
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1, got {alpha}")
    if len(looks) == 1:
        return attained_level(looks[0], alpha)
    shipped = _SHIPPED.get(looks, {}).get(alpha)
    if shipped is not None:
        return shipped
    return calibrate(looks, alpha, sessions=SESSIONS, seed=SEED)


def sequential_p(contrasts: npt.ArrayLike, looks: Sequence[int], *, final: bool = False) -> float:
    """The smallest alpha whose boundary these contrasts have crossed at any look so far.

    `contrasts`: shape (n,), in the order in which the blocks ran. Contrasts after the last look
    reached are not used; 1.0 before the first. It is P(minimum of the per-look p over *all* looks
    <= the minimum seen), so it may be passed to Holm and read at any look. Never below
    1 / (`SESSIONS` + 1), except for a single look, where it is exact. `final`: the budget ended
    here, and these n blocks take the place of the looks that never happened.
    """
    looks = checked_looks(looks)
    values = np.asarray(contrasts, dtype=np.float64)
    reached = {n for n in looks if n <= len(values)} | ({len(values)} if final else set())
    if not reached:
        return 1.0
    smallest = min(p_value(values[:n]) for n in reached)
    if len(looks) == 1:
        return smallest
    minima = null_minima(looks, sessions=SESSIONS, seed=SEED)
    as_small = int(np.searchsorted(minima, smallest * (1 + 1e-9), side="right"))
    return (1 + as_small) / (1 + len(minima))
