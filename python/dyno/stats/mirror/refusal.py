"""Which values keep a server from starting, by trying: no noise, so that ddmin is right here.

A refusal is a rule such as "x at B and y at A". Its B part is the smallest change of A that still
refuses, with A's values wherever the refusing row has them. Its A part is the smallest set that
must stay at A if all others go to B. Both searches begin at an anchor, which is known to start.
Where several rules hold, the second may find the A part of another one. Then the B part alone still
refuses after that set has gone to B, and what has to go there instead, so that it starts, is taken.
That may be a part of the rule, which is enough to merge: one factor at B and one at A.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

STARTS_MOST = 30

Place = tuple[int, ...]
T = TypeVar("T")
Tries = Generator[str, bool, T]
"""Asks whether rows start."""


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """The places in `row` that together keep a server from starting, ascending.

    `minimal` says that starts were left when nothing more could be removed; else the true set may
    be smaller. `starts` is how many were needed.
    """

    row: str
    places: tuple[int, ...]
    minimal: bool
    starts: int


def smallest_refusal(
    starts: Callable[[str], bool],
    row: str,
    *,
    groups: Sequence[Place] | None = None,
    most: int = STARTS_MOST,
) -> Refusal:
    """Find what in a refusing row refuses, with at most this many starts.

    `starts` says whether a server starts with a row. The rows that are all A and all B start, and
    aren't tried again. `groups` are places that change together; by default each is alone. Raises
    ValueError if the row is one of the two.
    """
    search = refusal_search(row, groups=groups, most=most)
    try:
        asked = next(search)
        while True:
            asked = search.send(starts(asked))
    except StopIteration as end:
        found: Refusal = end.value
        return found


def refusal_search(
    row: str, *, groups: Sequence[Place] | None = None, most: int = STARTS_MOST
) -> Tries[Refusal]:
    """As `smallest_refusal`, without a call: yields rows, and is sent whether they start."""
    if len(set(row)) < 2:
        raise ValueError(f"{row!r} has one arm's values alone, and these start")
    places = [(place,) for place in range(len(row))] if groups is None else list(groups)
    tries = _Counted(most, known={"A" * len(row): True, "B" * len(row): True})

    def with_b(changed: Sequence[Place]) -> str:
        return _row(len(row), changed, there="B", elsewhere="A")

    def with_a(changed: Sequence[Place]) -> str:
        return _row(len(row), changed, there="A", elsewhere="B")

    at_b = yield from _ddmin([g for g in places if row[g[0]] == "B"], with_b, tries, starts=False)
    others = [g for g in places if g not in at_b]
    at_a = yield from _ddmin(others, with_a, tries, starts=False)
    is_another = yield from tries.says(with_b([*at_b, *at_a]), starts=False)
    if is_another:
        at_a = yield from _ddmin(others, lambda g: with_b([*at_b, *g]), tries, starts=True)
    return Refusal(
        row=row,
        places=tuple(sorted(place for group in (*at_b, *at_a) for place in group)),
        minimal=not tries.ran_out,
        starts=tries.used,
    )


class _Counted:
    """Starts that were used, and what each row did."""

    def __init__(self, most: int, known: dict[str, bool]) -> None:
        self.most, self.used, self.ran_out = most, 0, False
        self._known = known

    def says(self, row: str, *, starts: bool) -> Tries[bool]:
        """Whether a row does start, or doesn't; False once no start is left."""
        if row not in self._known:
            if self.used >= self.most:
                self.ran_out = True
                return False
            self.used += 1
            self._known[row] = yield row
        return self._known[row] is starts


def _row(length: int, groups: Sequence[Place], *, there: str, elsewhere: str) -> str:
    places = {place for group in groups for place in group}
    return "".join(there if place in places else elsewhere for place in range(length))


def _ddmin(
    changed: list[Place],
    row_of: Callable[[Sequence[Place]], str],
    tries: _Counted,
    *,
    starts: bool,
) -> Tries[list[Place]]:
    """The smallest part of what was changed with which a row still does start, or doesn't; each of
    it is needed (Zeller & Hildebrandt 2002, IEEE Transactions on Software Engineering 28).
    """
    parts = 2
    while len(changed) > 1:
        cut = _cut(changed, parts)
        rest = [[g for g in changed if g not in part] for part in cut]
        # With two parts each is the other's rest.
        candidates = [(part, 2) for part in cut]
        candidates += [(part, max(parts - 1, 2)) for part in rest if parts > 2]
        for smaller, next_parts in candidates:
            still = yield from tries.says(row_of(smaller), starts=starts)
            if still:
                changed, parts = smaller, next_parts
                break
        else:
            if parts >= len(changed) or tries.ran_out:
                break
            parts = min(2 * parts, len(changed))
    return changed


def _cut(places: list[Place], parts: int) -> list[list[Place]]:
    """As many parts, of nearly equal size."""
    edges = [round(i * len(places) / parts) for i in range(parts + 1)]
    return [places[low:high] for low, high in pairwise(edges)]
