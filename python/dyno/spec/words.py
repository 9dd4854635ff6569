"""The nearest known word to a misspelt one, for hints. One rule for keys, names and values."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def near(name: str, known: Iterable[str], *, what: str = "known") -> str:
    """What was probably meant, as a question; what there is where nothing is near."""
    names = list(known)
    found = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    return f"did you mean {found[0]!r}?" if found else f"{what}: {', '.join(names)}"
