"""Claims against measurements: the band of an expectation, and the four verdicts.

Pure functions on log ratios; which comparison answers which claim, and the preconditions of a
verdict (equal results, equal durability, a generator with headroom), are decided elsewhere.

**The region** of an expectation is the set of true log ratios that support it, for a claimed ratio
c and a band b:

- approximately / exactly: let r = max(c, 1/c), the ratio read so that the effect r - 1 is a gain.
  The effect holds within +-b of itself: r from 1 + (r-1)(1-b) to 1 + (r-1)(1+b). "50 % faster" is
  1.4 to 1.6 at b = .2. If c < 1 the region is that of 1/c, negated: naming the arms the other
  way round changes no verdict, and "0.05 of the time" means 16.2 to 23.8 times as fast, whereas a
  band on the time itself would accept 4.2 times as 20.
- at least: from ln c up; at most: from ln c down; a band moves the edge as above, towards parity.
- near parity: from -ln(1+b) to ln(1+b).
- between: from the logarithm of one stated bound to that of the other.

Each edge lies at least delta (the practical floor) away from the claimed value, since nothing below
delta is a difference. The region's *side* is +1 or -1 if it excludes 0 entirely, else 0.

**The verdict** never contradicts a value that the interval leaves open:

1. reproduced: the interval lies inside the region;
2. inconclusive: it overlaps the region, or n is too small to bound it;
3. with a side: not reproduced if the interval lies inside +-delta or excludes 0 on the other
   side; direction only if it excludes 0 on the claimed side and |estimate| >= delta; else
   inconclusive;
4. without a side: not reproduced.

Rule 2 comes before rule 3, so a claim of less than two deltas whose region reaches into +-delta
isn't refuted by an interval that overlaps both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from dyno.stats.estimate import Estimate

MOST_BLOCKS = 10_000
"""No estimate of needed blocks goes beyond this: nobody will run them."""


class Verdict(StrEnum):
    """What a measurement says about a claim, here and now."""

    REPRODUCED = "reproduced"
    DIRECTION_ONLY = "direction only"
    NOT_REPRODUCED = "not reproduced"
    INCONCLUSIVE = "inconclusive"


class Kind(StrEnum):
    """Which sort of ratio is expected."""

    APPROXIMATELY = "approximately"
    EXACTLY = "exactly"
    AT_LEAST = "at least"
    AT_MOST = "at most"
    NEAR_PARITY = "near parity"


DEFAULT_BAND = {
    Kind.APPROXIMATELY: 0.20,
    Kind.EXACTLY: 0.10,
    Kind.AT_LEAST: 0.0,
    Kind.AT_MOST: 0.0,
    Kind.NEAR_PARITY: 0.10,
}
"""The band where a claim names none: a share of the effect (near parity: of the ratio)."""


@dataclass(frozen=True, kw_only=True)
class Region:
    """The closed set of log ratios that support a claim; a bound may be infinite."""

    low: float
    high: float

    @property
    def side(self) -> int:
        """+1 or -1 if the region excludes parity on that side, else 0."""
        return 1 if self.low > 0 else -1 if self.high < 0 else 0


@dataclass(frozen=True, kw_only=True)
class Expectation:
    """A claimed ratio (not its logarithm) with its kind and band; near parity has ratio 1.

    Raises ValueError for a ratio that isn't finite and positive, a band outside [0, 1), and near
    parity with another ratio than 1.
    """

    kind: Kind
    ratio: float = 1.0
    band: float | None = None

    def __post_init__(self) -> None:
        if not (math.isfinite(self.ratio) and self.ratio > 0):
            raise ValueError(f"a claimed ratio is finite and positive, got {self.ratio}")
        if self.band is not None and not 0 <= self.band < 1:
            raise ValueError(f"a band lies from 0 to below 1, got {self.band}")
        if self.kind is Kind.NEAR_PARITY and self.ratio != 1:
            raise ValueError(f"near parity means ratio 1, got {self.ratio}")

    def region(self, *, delta: float) -> Region:
        """The region of this expectation for the practical floor `delta` (a log ratio >= 0)."""
        if not 0 <= delta < math.inf:
            raise ValueError(f"delta is a log ratio of at least 0, got {delta}")
        band = DEFAULT_BAND[self.kind] if self.band is None else self.band
        claimed = math.log(self.ratio)
        match self.kind:
            case Kind.NEAR_PARITY:
                edge = max(math.log1p(band), delta)
                return Region(low=-edge, high=edge)
            case Kind.AT_LEAST:
                return Region(low=_at_least(claimed, band, delta), high=math.inf)
            case Kind.AT_MOST:
                return Region(low=-math.inf, high=-_at_least(-claimed, band, delta))
            case Kind.APPROXIMATELY | Kind.EXACTLY:
                near = min(_scaled(abs(claimed), 1 - band), abs(claimed) - delta)
                far = max(_scaled(abs(claimed), 1 + band), abs(claimed) + delta)
                low, high = (near, far) if claimed >= 0 else (-far, -near)
                return Region(low=low, high=high)


@dataclass(frozen=True, kw_only=True)
class Between:
    """A claimed range of ratios (not logarithms), taken as it is stated: 0 < low < high.

    Raises ValueError for any other bounds.
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        if not 0 < self.low < self.high < math.inf:
            raise ValueError(f"a range of ratios needs 0 < low < high, got {self.low}, {self.high}")

    def region(self, *, delta: float) -> Region:
        """The range itself; each edge is at least delta away from the range's middle."""
        low, high = math.log(self.low), math.log(self.high)
        middle = (low + high) / 2
        return Region(low=min(low, middle - delta), high=max(high, middle + delta))


def _scaled(gain: float, factor: float) -> float:
    """Log ratio of the effect exp(gain) - 1 times `factor`, for gain >= 0."""
    return math.log1p(math.expm1(gain) * factor)


def _at_least(claimed: float, band: float, delta: float) -> float:
    """Lower edge of "at least": towards parity by the band if a gain is claimed, or by delta."""
    if claimed > 0:
        return min(_scaled(claimed, 1 - band), claimed - delta)
    # "At least 0.9 of": the shortfall allowed is the effect, so the band lets it grow.
    return min(-_scaled(-claimed, 1 + band), claimed - delta)


def verdict(expectation: Expectation | Between, estimate: Estimate, *, delta: float) -> Verdict:
    """The verdict on an estimate with its repeated interval, log ratios (rules: module text).

    Raises ValueError for an estimate outside its interval.
    """
    low, high = estimate.bounds
    if not low <= estimate.value <= high:
        raise ValueError(f"the estimate {estimate.value} lies outside [{low}, {high}]")
    region = expectation.region(delta=delta)
    if region.low <= low and high <= region.high:
        return Verdict.REPRODUCED
    if low <= region.high and high >= region.low:
        return Verdict.INCONCLUSIVE
    if region.side == 0:
        return Verdict.NOT_REPRODUCED
    if -delta < low and high < delta:
        return Verdict.NOT_REPRODUCED
    interval_side = 1 if low > 0 else -1 if high < 0 else 0
    if interval_side == -region.side:
        return Verdict.NOT_REPRODUCED
    if interval_side == region.side and abs(estimate.value) >= delta:
        return Verdict.DIRECTION_ONLY
    return Verdict.INCONCLUSIVE


def needed_blocks(
    expectation: Expectation | Between, estimate: Estimate, *, delta: float, n: int
) -> int | None:
    """Blocks in total after which an inconclusive verdict at n would change, were the estimate
    true.

    Both arms of the interval shrink as sqrt(n / blocks) around the estimate; the smallest number
    with a verdict is returned. n itself if there is one already; None if there is no interval, or
    if no number up to `MOST_BLOCKS` is enough (the estimate lies on an edge).
    """
    if n < 1:
        raise ValueError(f"an interval rests on at least one block, got {n}")
    if estimate.interval is None:
        return None
    middle, (low, high) = estimate.value, estimate.interval

    def settled(blocks: int) -> bool:
        shrink = math.sqrt(n / blocks)
        ends = middle - (middle - low) * shrink, middle + (high - middle) * shrink
        return verdict(expectation, Estimate(middle, ends), delta=delta) is not Verdict.INCONCLUSIVE

    if settled(n):
        return n
    if n >= MOST_BLOCKS or not settled(MOST_BLOCKS):
        return None
    # Intervals are nested, and a verdict once reached stays: bisection finds the first.
    open_at, settled_at = n, MOST_BLOCKS
    while settled_at - open_at > 1:
        between = (open_at + settled_at) // 2
        if settled(between):
            settled_at = between
        else:
            open_at = between
    return settled_at
