"""Makes text from elsewhere fit for a terminal and a log line: no control characters in it."""

from __future__ import annotations

import re

# What a terminal takes for a command: C0 and C1 controls, delete, changes of the writing direction.
# Halves of surrogate pairs can't be written at all.
_COMMANDS = "\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
_ANY = re.compile(f"[{_COMMANDS}]")
_BUT_LINE_ENDS = re.compile(f"(?!\n)[{_COMMANDS}]")
_CONTROLS = re.compile("(?![\t\n])[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_BREAKS = re.compile(r"[\t\r\n]+")
MARK = "\ufffd"


def printable(text: str) -> str:
    """The text on one line, with a mark in place of each control character."""
    return _ANY.sub(MARK, _BREAKS.sub(" ", text).strip())


def printable_lines(text: str) -> str:
    """The same, but lines are kept."""
    return _BUT_LINE_ENDS.sub(MARK, text)


def has_controls(text: str) -> bool:
    """Whether a text has control characters other than line ends and tabs."""
    return _CONTROLS.search(text) is not None


def is_printable(text: str) -> bool:
    """Whether a name may be shown as it is."""
    return _ANY.search(text) is None
