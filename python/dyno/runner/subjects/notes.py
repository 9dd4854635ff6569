"""What dynoload noted: a line with a time for each acknowledgement. They are read, and laid out
over the last seconds before a crash. Pure but for reading the file.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from dyno.errors import LoadError
from dyno.store.crash import Moment

_MOMENT_S = 0.05
_MOMENTS = 60


@dataclass(frozen=True)
class Timed:
    """What a client knew to be done at a time of the system's monotonic clock."""

    at_s: float


N = TypeVar("N", bound=Timed)
K = TypeVar("K", bound=Hashable)


def read_notes(path: Path, parse: Callable[[float, list[str]], N]) -> list[N]:
    """The notes in the order in which they were written. A last line without a line end is left
    out: it is truncated, and half a number would be another one. `parse` makes a note of its time
    and words, or raises ValueError.

    Raises LoadError for a line that isn't a note.
    """
    if not path.exists():  # Nobody connected before the crash.
        return []
    whole, _, _ = path.read_text("ascii", errors="replace").rpartition("\n")
    return [_note(line, place, parse) for place, line in enumerate(whole.splitlines(), 1)]


def _note(line: str, place: int, parse: Callable[[float, list[str]], N]) -> N:
    at_ns, *words = line.split(" ")
    try:
        return parse(number(at_ns) / 1e9, words)
    except ValueError:
        raise LoadError(
            f"line {place} of dynoload's notes is {line!r}",
            hint="if dyno and dynoload come from different versions, install them together",
        ) from None


def number(word: str) -> int:
    """A number as dynoload writes it: digits alone. Raises ValueError."""
    if not (word.isascii() and word.isdigit()):
        raise ValueError(word)
    return int(word)


def noted_before(notes: Iterable[N], cut_s: float) -> list[N]:
    """Those from before the power went; all if that is never, as after SIGKILL: what a client knows
    then, the server had sent before.
    """
    return [note for note in notes if note.at_s < cut_s]


def doubled(keys: Iterable[K]) -> Counter[K]:
    """How many duplicate acknowledgements there are, where two clients can't have the same."""
    return Counter({key: n - 1 for key, n in Counter(keys).items() if n > 1})


def example_of(missing: str | None, twice: Counter[K], name: Callable[[K], str]) -> str | None:
    """What is missing, in words; else one of those that were acknowledged more than once."""
    again = (f"{name(key)}: acknowledged {n + 1} times" for key, n in twice.items())
    return missing or next(again, None)


def when_lost(
    counted: Sequence[Timed], lost: Sequence[Timed], cut_s: float
) -> tuple[float | None, list[Moment]]:
    """How long before the crash the oldest of `lost` came, in seconds; and the last three seconds
    before the crash in steps of 50 ms, oldest first. (None, []) if nothing is lost. Without a
    power cut, the crash is when the last of `counted` came.
    """
    if not lost:
        return None, []
    end_s = cut_s if cut_s < math.inf else max(note.at_s for note in counted)

    def by_moment(notes: Iterable[Timed]) -> Counter[int]:
        return Counter(int((end_s - note.at_s) / _MOMENT_S) for note in notes)

    all_, gone = by_moment(counted), by_moment(lost)
    moments = [
        Moment(before_s=round((n + 1) * _MOMENT_S, 2), acknowledged=all_[n], lost=gone[n])
        for n in reversed(range(_MOMENTS))
    ]
    return round(end_s - min(note.at_s for note in lost), 4), moments
