"""A command line as it was typed: what is Dyno's own in it, and what may be shown of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dyno.passwords import without_passwords

OUT = "--out"


@dataclass(frozen=True)
class Typed:
    """`out` is Dyno's; `rest` goes to the program; `shown` is what was typed without passwords."""

    out: Path | None
    rest: list[str]
    shown: list[str]

    def value(self, *names: str, default: str = "") -> str:
        """The last value of an option under any of its names, as `--name=value` or in two words."""
        found = default
        words = iter(self.rest)
        for word in words:
            name, sign, value = word.partition("=")
            if name.replace("_", "-") in names:
                found = value if sign else next(words, default)
        return found

    def has(self, name: str) -> bool:
        """Whether an option was given, with or without a value."""
        return any(word.partition("=")[0].replace("_", "-") == name for word in self.rest)


def read_typed(arguments: Sequence[str]) -> Typed:
    """Take --out from the arguments."""
    out: Path | None = None
    rest: list[str] = []
    words = iter(arguments)
    for word in words:
        if word == OUT:
            out = Path(next(words, "")) if out is None else out
        elif word.startswith(f"{OUT}="):
            out = Path(word.removeprefix(f"{OUT}="))
        else:
            rest.append(word)
    if out is not None and not out.name:
        out = None
    return Typed(out, rest, without_passwords(rest))
