"""Functions that only look like a difference: renamed ones, and ones that moved into their caller.

Both show up in a comparison by name as one function that is gone and another that became dearer.
Both are found by what doesn't change: the sum.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from dyno.analysis.profiles.cells import Cells, Side
from dyno.analysis.profiles.folding import Folded
from dyno.analysis.profiles.objects import Part

RENAMED_LEAST = 0.003
"""A function has this share of its arm's samples before anybody looks for its other name."""
CALLERS_LEAST = 0.5
"""How much of the two functions' callers must agree."""
LEFT_MOST = 0.1
"""What is left of a function that was inlined, as a share of what it was: a few calls stay."""
CALLER_LEAST = 0.1
"""A caller with less of a function's samples isn't looked at."""


class Pair(NamedTuple):
    """A function of the baseline and one of the arm that may be the same."""

    theirs: Part
    ours: Part


class Move(NamedTuple):
    """Functions that went into their callers (`into`), or came out of them.

    `parts` are all of them, with the other name of any that was renamed.
    """

    functions: tuple[Part, ...]
    callers: tuple[Part, ...]
    into: bool
    parts: tuple[Part, ...]


def renamed(cells: Cells, ours: Side, theirs: Side) -> list[Pair]:
    """Functions in one arm only that have a counterpart in the other, each used once.

    Both have at least 0.3 % of their arm's samples, are in no stack of the other arm and lie in the
    same object, half of their callers agree, and the interval of the sum covers 0.
    """
    gone, new = _only_in(theirs.whole, ours.whole), _only_in(ours.whole, theirs.whole)
    found: list[tuple[float, float, Pair]] = []
    for old in gone:
        alike = [part for part in new if _same_object(old, part)]
        overlaps = [_overlap(theirs.whole, old, ours.whole, part) for part in alike]
        for part, overlap in zip(alike, overlaps, strict=True):
            if overlap < CALLERS_LEAST:
                continue
            result = cells.test([(old, part)])
            if result.covers_zero(0):
                found.append((-overlap, abs(float(result.mean[0])), Pair(old, part)))
    used: set[Part] = set()
    chosen = []
    for _, _, pair in sorted(found):
        if used.isdisjoint(pair):
            used.update(pair)
            chosen.append(pair)
    return chosen


def moved(
    cells: Cells, ours: Side, theirs: Side, differing: Sequence[Part], pairs: Sequence[Pair]
) -> list[Move]:
    """Of functions that differ, those that went into their callers or came out of them.

    About nothing is left of the function in one arm, its callers gain, and the interval of the sum
    covers 0. Several functions with the same callers are tried together first. `pairs` are renamed
    functions, which may be callers.
    """
    names = {part: pair for pair in pairs for part in pair}
    found: list[Move] = []
    used: set[Part] = set()
    for into, side, other in ((True, theirs.whole, ours.whole), (False, ours.whole, theirs.whole)):
        lost = [part for part in differing if part.is_function and _is_gone(part, side, other)]
        by_callers: dict[tuple[Part, ...], list[Part]] = {}
        for part in lost:
            for callers in _callers(side, part):
                by_callers.setdefault(callers, []).append(part)
        for callers, parts in by_callers.items():
            for functions in _tries(parts):
                whole = _with_names((*functions, *callers), names)
                move = Move(functions, callers, into, whole)
                if used.isdisjoint(whole) and _keeps_the_sum(cells, move, names):
                    found.append(move)
                    used.update(whole)
    return found


def _with_names(parts: Sequence[Part], names: Mapping[Part, Pair]) -> tuple[Part, ...]:
    """Each part once, and its other name if it has one."""
    return tuple(dict.fromkeys(name for part in parts for name in names.get(part, (part,))))


def _tries(parts: Sequence[Part]) -> Iterator[tuple[Part, ...]]:
    """All functions with the same callers together, then each."""
    yield tuple(parts)
    if len(parts) > 1:
        yield from ((part,) for part in parts)


def _callers(side: Folded, part: Part) -> Iterator[tuple[Part, ...]]:
    """Callers that a function may have gone into: the main one, then all that matter."""
    calls = side.callers.get(part)
    if not calls:
        return
    whole = sum(calls.values())
    main, n = max(calls.items(), key=lambda item: (item[1], item[0]))
    if n >= CALLERS_LEAST * whole and _same_object(main, part):
        yield (main,)
    several = [c for c, n in calls.items() if n >= CALLER_LEAST * whole and _same_object(c, part)]
    if len(several) > 1:
        yield tuple(sorted(several))


def _keeps_the_sum(cells: Cells, move: Move, names: Mapping[Part, Pair]) -> bool:
    if set(move.functions) & set(move.callers):
        return False
    result = cells.test([_with_names(move.callers, names)])
    gains = bool(result.low[0] > 0 if move.into else result.high[0] < 0)
    return gains and cells.test([move.parts]).covers_zero(0)


def _only_in(side: Folded, other: Folded) -> list[Part]:
    """Functions with own samples on this side that are in no stack of the other: one that only
    calls there has no samples of its own, but isn't gone.
    """
    least = RENAMED_LEAST * side.samples
    return sorted(
        part
        for part, n in side.own.items()
        if part.is_function and n >= least and not other.inclusive[part]
    )


def _is_gone(part: Part, side: Folded, other: Folded) -> bool:
    """Whether a function of this side has about no samples in the other."""
    return other.own[part] / other.samples <= LEFT_MOST * side.own[part] / side.samples


def _same_object(one: Part, other: Part) -> bool:
    """The server is one object, whose modules are only a guess by name."""
    if one.kind != other.kind or not (one.is_function and other.is_function):
        return False
    return one.kind == "server" or one.module == other.module


def _overlap(theirs: Folded, old: Part, ours: Folded, new: Part) -> float:
    """How much of two functions' callers agree, 0 to 1; 0 if either has none."""
    nobody: Counter[Part] = Counter()
    one, other = theirs.callers.get(old, nobody), ours.callers.get(new, nobody)
    whole, whole_of_other = sum(one.values()), sum(other.values())
    if not whole or not whole_of_other:
        return 0.0
    return sum(
        min(one[part] / whole, other[part] / whole_of_other) for part in one.keys() & other.keys()
    )
