"""What `perf script` prints, as stacks: functions from the root down, with their samples."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import PurePosixPath

NO_SYMBOL = "[no symbol]"
_UNKNOWN = "[unknown]"
_FRAME = re.compile(
    r"^\s+[0-9a-f]+ (?P<symbol>.*) \((?P<object>[^()]*?)(?: \(deleted\))?\)(?: \(inlined\))?\s*$"
)

# Of each frame its object, a file's name without the folder, and its symbol; root first.
RawStack = tuple[tuple[str, str], ...]


def parse_script(lines: Iterable[str]) -> Counter[RawStack]:
    """Stacks of `perf script -F tid,ip,sym,dso`: a line for the sample, then its frames, the
    innermost first, and an empty line.

    Callers that belong to no object are left out: unwinding went wrong there.
    """
    found: Counter[RawStack] = Counter()
    frames: list[tuple[str, str]] = []
    for line in lines:
        frame = _frame(line)
        if frame is not None and (not frames or frame[0] != _UNKNOWN):
            frames.append(frame)
        elif frame is None and frames:
            found[tuple(reversed(frames))] += 1
            frames = []
    if frames:
        found[tuple(reversed(frames))] += 1
    return found


def _frame(line: str) -> tuple[str, str] | None:
    """One frame: `  7f12 row_search(char*, int) (/usr/sbin/mariadbd)`; None for another line."""
    found = _FRAME.match(line)
    if found is None:
        return None
    place = found["object"]
    # The kernel's objects are in brackets, and have no folder.
    name = place if place.startswith("[") else PurePosixPath(place).name
    return name or _UNKNOWN, NO_SYMBOL if found["symbol"] in ("", _UNKNOWN) else found["symbol"]
