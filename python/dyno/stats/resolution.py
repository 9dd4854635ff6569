"""What a comparison of two profiles can resolve, and how many samples it takes.

For planning only: nothing here enters a result. Points are per cent of the baseline's whole cost.
"""

from __future__ import annotations

import math

OWN_VARIATION = 0.03
"""How much a function's cost varies by itself from trial to trial, as a share of it: an assumption
that measured servers come near."""

FOUND_ERRORS = 5.0
"""A difference of this many standard errors is found in about 4 of 5 cases, with 8 blocks and about
150 functions (simulated)."""


def profile_error(share: float, *, samples: float, blocks: int) -> float:
    """The standard error, in points, of a part's difference.

    `share` is the part's share of the cost (0 to 1), `samples` those of one trial. Counting gives
    100 sqrt(2 s / (n blocks)), the function itself 100 * .03 s sqrt(2 / blocks); they are
    independent, so their squares add. Raises ValueError for a share outside [0, 1], or without
    samples or blocks.
    """
    if not (0 <= share <= 1 and samples > 0 and blocks > 0):
        raise ValueError(f"no error of share {share} in {blocks} blocks of {samples} samples")
    counting = 100 * math.sqrt(2 * share / (samples * blocks))
    own = 100 * OWN_VARIATION * share * math.sqrt(2 / blocks)
    return math.hypot(counting, own)


def smallest_found(share: float, *, samples: float, blocks: int) -> float:
    """The difference of a part, in points, that is found in about 4 of 5 cases."""
    return FOUND_ERRORS * profile_error(share, samples=samples, blocks=blocks)


def samples_for(points: float, share: float) -> float:
    """How many samples of one arm, over all blocks, find a difference of `points` at a `share`.

    2 s (500 / points)^2, from counting alone: 20,000 for half a point on 1 %. Raises ValueError for
    0 points.
    """
    if points == 0:
        raise ValueError("no number of samples finds a difference of 0")
    return 2 * share * (100 * FOUND_ERRORS / points) ** 2


def samples_of_trial(*, per_s: float, busy_cpus: float, length_s: float) -> float:
    """How many samples a trial gives: one for each CPU that the server keeps busy, each time."""
    return per_s * busy_cpus * length_s
