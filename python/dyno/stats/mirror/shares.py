"""From the costs of one block to each player's share of the difference.

A cost is a log: time for an op, or minus log throughput. A player is a factor, or several that
change together. All shares are log ratios, positive where B's value costs more.

The cost of a row minus that of its mirror image has all main effects in it, and no effect of an
even number of factors: x_a x_b - (1 - x_a)(1 - x_b) = x_a + x_b - 1, for which each of the two gets
half. So a share is half of "added to A" plus half of "taken from B", the Shapley value, as long as
no three factors act together. Of what m of them do together each gets 1 / 2^(m-1) (Banzhaf 1965,
Rutgers Law Review 19) instead of 1 / m (Shapley 1953, Annals of Mathematics Studies 28); the
missing part is the gap.
"""

from __future__ import annotations

import math

import numpy as np

from dyno.stats.mirror.hadamard import drawn, factorial
from dyno.stats.rank import Floats


def pair_shares(design: Floats, differences: Floats) -> Floats | None:
    """Shares, shape (p,), from a design of +-1, shape (m, p), and the cost of each row minus its
    mirror image's, shape (m,), NaN where a trial of the pair is void.

    Z'd / m with all pairs and orthogonal columns; least squares over what is there, otherwise. None
    if that leaves some share open.
    """
    kept = np.isfinite(differences)
    rows, players = design.shape
    if kept.all():
        shares: Floats = design.T @ differences / rows
        return shares
    there = design[kept]
    if len(there) < players or np.linalg.matrix_rank(there) < players:
        return None
    return np.asarray(np.linalg.lstsq(there, differences[kept], rcond=None)[0], dtype=np.float64)


def shapley(costs: Floats) -> Floats:
    """Exact Shapley values, shape (p,), from the costs of all 2^p rows in the order of
    `hadamard.factorial`. They add up to the cost of B minus that of A, whatever acts together.

    phi_i = sum over T without i of |T|! (p - |T| - 1)! / p! * (y(T and i) - y(T)).
    """
    players = len(costs).bit_length() - 1
    if len(costs) != 2**players:
        raise ValueError(f"a full factorial has a power of 2 of rows, not {len(costs)}")
    at_b = factorial(players) > 0
    sizes = at_b.sum(axis=1)
    weights = np.array(
        [
            math.factorial(size) * math.factorial(players - size - 1) / math.factorial(players)
            for size in range(players)
        ]
    )
    shares = np.empty(players)
    for i in range(players):
        without = np.flatnonzero(~at_b[:, i])
        shares[i] = weights[sizes[without]] @ (costs[without | 1 << i] - costs[without])
    return shares


class MirroredBlock:
    """One confirming block: a drawn design, its mirror image, both anchors, and for each of the
    first `both_ways` players a row that adds it to A and one that takes it from B.
    """

    def __init__(self, players: int, both_ways: int, rng: np.random.Generator) -> None:
        self.design = drawn(players, rng)
        self.both_ways = both_ways
        anchor = np.ones((1, players))
        single = 2 * np.eye(players)[:both_ways] - 1
        parts = [self.design, -self.design, -anchor, anchor, single, -single]
        self.rows: Floats = np.concatenate(parts)
        """Shape (trials, players), +-1; the order of running is drawn by who measures them."""

    def shares(self, costs: Floats) -> Floats | None:
        """The players' shares from the costs of all rows; None if too many of them are NaN."""
        pairs = len(self.design)
        return pair_shares(self.design, costs[:pairs] - costs[pairs : 2 * pairs])

    def difference(self, costs: Floats) -> float:
        """The cost of B minus that of A; NaN if one of the anchors is."""
        anchor = 2 * len(self.design)
        return float(costs[anchor + 1] - costs[anchor])

    def added(self, costs: Floats) -> Floats:
        """What each player costs alone on A, shape (both_ways,); may hold NaN."""
        first = 2 * len(self.design)
        found: Floats = costs[first + 2 : first + 2 + self.both_ways] - costs[first]
        return found

    def removed(self, costs: Floats) -> Floats:
        """What each player costs as the last one on B, shape (both_ways,); may hold NaN."""
        first = 2 * len(self.design)
        found: Floats = costs[first + 1] - costs[first + 2 + self.both_ways :]
        return found
