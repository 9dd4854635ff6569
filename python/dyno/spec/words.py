"""The nearest known word to a misspelt one, for hints. One rule for keys, names and values."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import TypeVar

from dyno.errors import SpecError

T = TypeVar("T")
SHORT = 80
LISTED = 40


def shortened(text: str, most: int = SHORT) -> str:
    """A text from elsewhere, cut if it is too long to be repeated in a message."""
    return text if len(text) <= most else f"{text[:most]}…"


def near(name: str, known: Iterable[str], *, what: str = "known") -> str:
    """What was probably meant, as a question; all choices if nothing is near."""
    names = list(known)
    found = difflib.get_close_matches(name[:SHORT], names, n=1, cutoff=0.5)
    listed = ", ".join(names[:LISTED]) + f", and {len(names) - LISTED} more" * (len(names) > LISTED)
    return f"did you mean {found[0]!r}?" if found else f"{what}: {listed}"


def first_twice(names: Sequence[T]) -> T | None:
    """The first name or number that is there twice; None if there is none."""
    return next((name for name in names if names.count(name) > 1), None)


def refuse_unknown(name: str, names: Iterable[str], *, what: str, where: str = "") -> None:
    """Raise SpecError, with the nearest name, for an unknown one."""
    known = list(names)
    if name not in known:
        raise SpecError(f"{where}there is no {what} {shortened(name)!r}", hint=near(name, known))
