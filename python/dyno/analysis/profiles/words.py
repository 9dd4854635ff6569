"""Comparisons of profiles in words: one sentence whose figures sum, with what to know before it.

Points are per cent of the baseline's CPU per op. A profile says where time went, never why.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from dyno.analysis.profiles.latency import CPU
from dyno.analysis.profiles.model import (
    ArmProfile,
    LatencyPart,
    LatencySplit,
    ProfileComparison,
    ProfileRow,
)
from dyno.analysis.profiles.objects import KINDS
from dyno.analysis.signed import number
from dyno.spec.units import capital, plural, possessive
from dyno.stats import Estimate, smallest_found

UNRESOLVED_SAID_PCT = 5.0
# A function of this share of the cost stands for what a comparison can find.
SMALL_SHARE = 0.01
WHERE_NOT_WHY = (
    "A profile says where the time went, not why: more time in memcpy may be more calls, larger "
    "copies or colder caches."
)


def sentences(found: ProfileComparison) -> Iterator[str]:
    """What to know first, the sentence that splits the difference, and what was put together."""
    yield from _first(found)
    yield _split(found)
    for pair in found.renamed:
        yield (
            f"Renamed? {pair.baseline_name} is only in {found.baseline.arm}, {pair.arm_name} only "
            f"in {found.arm.arm}: they cost the same and have the same callers, and are one row."
        )
    for move in found.inlined:
        names, callers = (" and ".join(part) for part in (move.functions, move.callers))
        gone, kept = (found.arm.arm, found.baseline.arm)[:: 1 if move.into else -1]
        yield (
            f"Moved: {gone} has {names} inside {callers}, {kept} has them apart; the sum is the "
            "same, so they are one row."
        )


def latency_sentence(found: LatencySplit) -> str:
    """Say "Of +1.4 ms per op (1.2 to 1.6; 8 blocks): 0.5 CPU, 0.1 waiting for a CPU, ..."."""
    unit, scale = _unit(found)
    parts = sorted(found.parts, key=_by_time)
    values = [found.total.value * scale, *(part.us.value * scale for part in parts)]
    digits = _digits(values[0])
    total, *rounded = summing(values[1:], digits, total=values[0])
    said = [
        f"{number(value, digits)} {part.name}{_also(part, scale, digits)}"
        for value, part in zip(rounded, parts, strict=True)
    ]
    sign = "+" if total > 0 else ""
    return (
        f"Of {sign}{number(total, digits)} {unit} per op on {found.arm} against {found.baseline} "
        f"({_interval(found.total, scale, digits)}; {plural(len(found.blocks), 'block')}): "
        f"{', '.join(said)}."
    )


def points(estimate: Estimate, digits: int = 1) -> str:
    """Points with their interval: "2.0 (1.4 to 2.6)"."""
    return f"{number(estimate.value, digits)} ({_interval(estimate, 1.0, digits)})"


def factor_words(factor: Estimate) -> str:
    """Say "all functions are 3.0 % dearer (1.2 to 4.8 %)"; cheaper for a factor below 1."""
    low, high = ((end - 1) * 100 for end in factor.bounds)
    side = "dearer" if factor.value >= 1 else "cheaper"
    ends = (low, high) if factor.value >= 1 else (-high, -low)
    size = abs(factor.value - 1) * 100
    return f"all functions are {size:.1f} % {side} ({number(ends[0])} to {number(ends[1])} %)"


def _first(found: ProfileComparison) -> Iterator[str]:
    """What must be known before the figures."""
    sides: tuple[ArmProfile, ...] = (found.arm, found.baseline)
    if any(side.unresolved_pct > UNRESOLVED_SAID_PCT for side in sides):
        ours, theirs = (f"{side.unresolved_pct:.0f} % of {possessive(side.arm)}" for side in sides)
        yield f"{ours} samples and {theirs} are in code without symbols, so in no known function."
    if found.nameless and not found.objects_only:
        kinds = ", ".join(KINDS[kind] for kind in found.nameless)
        yield (
            "Some functions have a name in one arm's build only, so they are counted without one "
            f"in both: those of {kinds} that are local to a source file."
        )
    if found.objects_only:
        yield f"Only objects are compared, not functions: {found.objects_only}."
    elif found.own_only:
        yield (
            f"Functions are compared by what they take themselves, without what they call: "
            f"{found.own_only}. Renamed and inlined ones aren't recognised."
        )
    if found.factor is not None and any(row.kind == "common" for row in found.rows):
        words = factor_words(found.factor)
        yield f"{capital(words)}; differences of single functions come on top."


def _split(found: ProfileComparison) -> str:
    rows = found.brief or sorted(found.classes, key=_by_points)
    total, *rounded = summing([row.points.value for row in rows], 1, total=found.total.value)
    blocks = plural(len(found.blocks), "block")
    interval = _interval(found.total, 1.0, 1)
    low, high = found.total.bounds
    if low <= 0 <= high:
        head = (
            f"{found.arm.arm} and {found.baseline.arm} don't differ in CPU per op "
            f"({number(total)} points, {interval}; {blocks})"
        )
    else:
        more = "more" if found.total.value > 0 else "less"
        head = f"{found.arm.arm} takes {number(abs(total))} points {more} CPU per op than "
        # Less of something: the interval has the same direction.
        shown = found.total if more == "more" else found.total.through(lambda value: -value)
        head += f"{found.baseline.arm} ({_interval(shown, 1.0, 1)}; {blocks})"
    return f"{head}. {_list(found, rows, rounded)}"


def _list(found: ProfileComparison, rows: Sequence[ProfileRow], rounded: Sequence[float]) -> str:
    if not any(row.kind != "all else" for row in rows):
        blocks = len(found.blocks)
        samples = min(found.arm.samples, found.baseline.samples) / blocks
        seen = number(smallest_found(SMALL_SHARE, samples=samples, blocks=blocks))
        return (
            f"None of {plural(found.tested, 'function')} and groups differs by itself; for a "
            f"function that takes {100 * SMALL_SHARE:.0f} %, {seen} points would mostly be found."
        )
    said = [
        f"{row.label} {number(value)} ({_interval(row.points, 1.0, 1)})"
        for row, value in zip(rows, rounded, strict=True)
    ]
    # Only what is more by itself can be a part of more.
    head = "Of these" if (found.total.interval or (0.0,))[0] > 0 else "By part, less below 0"
    return f"{head}: {', '.join(said)}."


def summing(values: Sequence[float], digits: int, *, total: float) -> list[float]:
    """The total and the values, rounded so that they sum: those with the largest remainders are
    rounded up.
    """
    step = 10.0**-digits
    whole = round(total / step)
    floors = [math.floor(value / step) for value in values]
    remainders = [value / step - floor for value, floor in zip(values, floors, strict=True)]
    missing = max(0, min(len(values), whole - sum(floors)))
    up = set(sorted(range(len(values)), key=lambda at: -remainders[at])[:missing])
    return [whole * step, *((floor + (at in up)) * step for at, floor in enumerate(floors))]


def _interval(estimate: Estimate, scale: float, digits: int) -> str:
    if estimate.interval is None:
        return "no interval"
    low, high = (number(end * scale, digits) for end in estimate.interval)
    return f"{low} to {high}"


def _unit(found: LatencySplit) -> tuple[str, float]:
    """The unit of a latency, and what makes it from microseconds."""
    largest = max(abs(found.total.value), *(abs(part.us.value) for part in found.parts))
    return ("ms", 1e-3) if largest >= 1000 else ("µs", 1.0)


def _digits(value: float) -> int:
    return 0 if abs(value) >= 100 else 1 if abs(value) >= 1 else 2


def _also(part: LatencyPart, scale: float, digits: int) -> str:
    return f" ({_interval(part.us, scale, digits)})"


def _by_points(row: ProfileRow) -> float:
    return -abs(row.points.value)


def _by_time(part: LatencyPart) -> tuple[bool, float]:
    """CPU first, then the longest difference."""
    return part.name != CPU, -abs(part.us.value)
