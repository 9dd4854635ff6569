"""A text to read: its lines, what a format is, and how a broken line is reported.

Knows no specific format.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dyno.errors import SpecError
from dyno.graph.model import Found

# A figure as load tools print it. More digits than these mean damage.
NUMBER = r"-?(?:\d{1,18}(?:\.\d{0,18})?|nan|inf)"
COUNT = r"\d{1,15}"
SHOWN_MOST = 80


@dataclass(frozen=True)
class Text:
    """The lines of a file; `name` is its name in messages."""

    name: str
    lines: tuple[str, ...]

    @classmethod
    def decode(cls, name: str, content: bytes) -> Text:
        """The decoded lines. Raises SpecError for anything that isn't text."""
        if b"\0" in content:
            raise SpecError(
                f"{name}: not a text file: it holds zero bytes",
                hint="give a log or CSV file in UTF-8",
            )
        decoded = content.decode("utf-8-sig", errors="replace")
        return cls(name, tuple(line.rstrip("\r") for line in decoded.split("\n")))

    def numbered(self) -> Iterator[tuple[int, str]]:
        """Lines with their numbers, from 1; empty ones left out."""
        for number, line in enumerate(self.lines, 1):
            if line.strip():
                yield number, line

    @property
    def unended(self) -> bool:
        """Whether the last line lacks a line end, as in a truncated file; JSON needs none."""
        return bool(self.lines[-1].strip()) and self.lines[-1].strip() != "}"

    def broken(self, number: int, why: str, expected: str) -> SpecError:
        """The error for line `number`."""
        line = self.lines[number - 1].strip() if number <= len(self.lines) else ""
        shown = line if len(line) <= SHOWN_MOST else line[: SHOWN_MOST - 1] + "…"
        return SpecError(f"{self.name}:{number}: {why}: {shown!r}", hint=f"expected: {expected}")


@dataclass(frozen=True)
class Format:
    """A format: `mark` finds a line that no other format has, `read` reads a text of it."""

    name: str
    expects: str
    mark: re.Pattern[str]
    read: Callable[[Text], Found]


def number(text: str) -> float | None:
    """A figure; None if it isn't finite, as after a division by zero."""
    value = float(text)
    return value if math.isfinite(value) else None


def parse_count(text: str) -> int:
    """A count."""
    return int(text)
