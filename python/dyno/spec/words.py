"""The nearest known word to a misspelt one, for hints. One rule for keys, names and values."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

SHORT = 80
LISTED = 40


def shortened(text: str, most: int = SHORT) -> str:
    """A text from elsewhere, cut where it is too long to be repeated in a message."""
    return text if len(text) <= most else f"{text[:most]}…"


def near(name: str, known: Iterable[str], *, what: str = "known") -> str:
    """What was probably meant, as a question; what there is where nothing is near."""
    names = list(known)
    found = difflib.get_close_matches(name[:SHORT], names, n=1, cutoff=0.5)
    listed = ", ".join(names[:LISTED]) + f", and {len(names) - LISTED} more" * (len(names) > LISTED)
    return f"did you mean {found[0]!r}?" if found else f"{what}: {listed}"
