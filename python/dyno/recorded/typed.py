"""A command line as typed: which parts are Dyno's own, and what may be shown of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dyno.passwords import without_passwords
from dyno.recorded.own import take_option

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
    value, rest = take_option(arguments, OUT)
    out = Path(value or "")
    return Typed(out if out.name else None, rest, without_passwords(rest))
