"""After how many blocks a run is judged: planned before it starts, and what p* is calibrated for.

A leaf: plans and statistics, which know nothing of each other, both import it.
"""

from __future__ import annotations

import math

LOOKS = (8, 12, 18, 27, 40, 60)
"""The usual looks: 8 is the first n at which the smallest p, 2^(1-n), is below p*."""

LOOKS_PUBLIC = (10, 15, 22, 33, 50)
"""The looks for claims made in public, at alpha .01."""


def schedule(*, first: int, last: int) -> tuple[int, ...]:
    """Looks from `first` to `last` blocks, each 1.5 times the one before.

    floor(first * 1.5^k) while below `last`, then `last`: (8, 60) gives `LOOKS`, (10, 50) gives
    `LOOKS_PUBLIC`. Raises ValueError unless 1 <= first <= last.
    """
    if not 1 <= first <= last:
        raise ValueError(f"looks need 1 <= first <= last, got first {first} and last {last}")
    looks: list[int] = []
    n = float(first)
    while math.floor(n) < last:
        if not looks or math.floor(n) > looks[-1]:
            looks.append(math.floor(n))
        n *= 1.5
    return (*looks, last)
