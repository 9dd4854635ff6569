"""Sampled stacks of a trial, and their text: one line for each stack, root first, with its samples.

    mariadbd`handle_one_connection;mariadbd`row_search_mvcc;libc.so.6`__memcpy_avx_unaligned 17

The folded form that flame graph tools read, with the object before each function as DTrace writes
it. A frame that the compiler inlined ends in `_[i]`; a function that is visible in its source file
alone, which a stripped build couldn't name, in `_[l]`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from dyno.store.trial import ProfileLine

NO_SYMBOL = "[no symbol]"
NO_OBJECT = "[unknown]"
LINES_MOST = 15
_INLINED = "_[i]"
_LOCAL = "_[l]"
# What separates frames, objects and lines can't be in a name.
_SAFE = str.maketrans({";": ":", "\n": " ", "\r": " "})


class Frame(NamedTuple):
    """A function in an object (a file's name without its folder), as its demangled symbol.

    A frame is inlined, local, or neither: what was inlined is in no symbol table.
    """

    object: str
    symbol: str
    is_inlined: bool = False
    is_local: bool = False


Stack = tuple[Frame, ...]
Stacks = Mapping[Stack, int]


def folded(stacks: Stacks) -> str:
    """The text of stacks, in alphabetical order, so that equal stacks have equal texts."""
    lines = sorted(f"{';'.join(map(_written, stack))} {n}" for stack, n in stacks.items() if n)
    return "".join(f"{line}\n" for line in lines)


def parse_folded(text: str) -> Counter[Stack]:
    """Stacks from their text; a stack that occurs in several lines has the sum.

    Frames without an object, as other tools write them, get `[unknown]`. Raises ValueError, with
    the line's number, for a line that has no frames or doesn't end in a count.
    """
    found: Counter[Stack] = Counter()
    # Not splitlines: a symbol may hold what Unicode calls the end of a line.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        frames, _, count = line.rstrip().rpartition(" ")
        if not frames or not (count.isascii() and count.isdigit()):
            raise ValueError(f"line {number} isn't a stack with its count: {line[:80]!r}")
        found[tuple(map(_read, frames.split(";")))] += int(count)
    return found


def together(many: Iterable[Stacks]) -> Counter[Stack]:
    """The sum of several trials' stacks."""
    found: Counter[Stack] = Counter()
    for stacks in many:
        found.update(stacks)
    return found


def hottest(stacks: Stacks, *, most: int = LINES_MOST) -> list[ProfileLine]:
    """The functions with most samples of their own, as the `profile` of a trial has them."""
    own: Counter[tuple[str, str]] = Counter()
    for stack, n in stacks.items():
        if stack:
            own[stack[-1].symbol, stack[-1].object] += n
    whole = sum(own.values())
    first = sorted(own.items(), key=lambda item: (-item[1], item[0]))[:most]
    return [
        ProfileLine(share_pct=round(100 * n / whole, 2), symbol=symbol, object=place)
        for (symbol, place), n in first
        if n
    ]


def _written(frame: Frame) -> str:
    mark = _INLINED if frame.is_inlined else _LOCAL if frame.is_local else ""
    return f"{frame.object.replace('`', '_')}`{frame.symbol}{mark}".translate(_SAFE)


def _read(text: str) -> Frame:
    place, tick, symbol = text.partition("`")
    if not tick:
        place, symbol = NO_OBJECT, text
    is_inlined, is_local = symbol.endswith(_INLINED), symbol.endswith(_LOCAL)
    bare = symbol.removesuffix(_INLINED if is_inlined else _LOCAL)
    return Frame(place or NO_OBJECT, bare or NO_SYMBOL, is_inlined, is_local)
