"""What `perf script` prints, as stacks: functions from the root down, with their samples."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from dyno.telemetry.symbols import names_of

NO_SYMBOL = "[no symbol]"
_UNKNOWN = "[unknown]"
_FRAME = re.compile(
    r"^\s+[0-9a-f]+ (?P<symbol>.*) \((?P<object>[^()]*?)(?: \(deleted\))?\)(?: \(inlined\))?\s*$"
)


class RawFrame(NamedTuple):
    """Of a frame its object, a file's name without the folder, its symbol, and whether that is
    visible in its source file alone.
    """

    object: str
    symbol: str
    is_local: bool = False


# Root first.
RawStack = tuple[RawFrame, ...]


def parse_script(lines: Sequence[str], mangled: Sequence[str] | None = None) -> Counter[RawStack]:
    """Stacks of `perf script -F tid,ip,sym,dso`: a line for the sample, then its frames, the
    innermost first, and an empty line. `mangled` are the same lines with the linker's names, by
    which local functions are found; without them `lines` have to do, in which C's names are right.

    Callers that belong to no object are left out: unwinding went wrong there.
    """
    found: Counter[RawStack] = Counter()
    frames: list[RawFrame] = []
    for line, linkers in zip(lines, mangled or lines, strict=True):
        frame = _frame(line, linkers)
        if frame is not None and (not frames or frame.object != _UNKNOWN):
            frames.append(frame)
        elif frame is None and frames:
            found[tuple(reversed(frames))] += 1
            frames = []
    if frames:
        found[tuple(reversed(frames))] += 1
    return found


def has_local_functions(lines: Iterable[str]) -> bool:
    """Whether any of the programs in these lines has local functions in its symbol table."""
    objects = {frame["object"] for frame in map(_FRAME.match, lines) if frame is not None}
    return any(names_of(path).local for path in objects if path.startswith("/"))


def _frame(line: str, mangled: str) -> RawFrame | None:
    """One frame: `  7f12 row_search(char*, int) (/usr/sbin/mariadbd)`; None for another line."""
    found = _FRAME.match(line)
    if found is None:
        return None
    place = found["object"]
    # The kernel's objects are in brackets, and have no folder.
    name = place if place.startswith("[") else PurePosixPath(place).name
    symbol = NO_SYMBOL if found["symbol"] in ("", _UNKNOWN) else found["symbol"]
    linkers = _FRAME.match(mangled)
    is_local = (
        place.startswith("/")
        and symbol != NO_SYMBOL
        and linkers is not None
        and names_of(place).is_local(linkers["symbol"])
    )
    return RawFrame(name or _UNKNOWN, symbol, is_local)
