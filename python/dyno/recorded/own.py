"""Dyno's own options among those of another program. Imported before every such program."""

from __future__ import annotations

from collections.abc import Sequence


def take_option(words: Sequence[str], name: str) -> tuple[str | None, list[str]]:
    """The last value of an option, as `--name=value` or in two words, and the words without it.

    None if it isn't there.
    """
    found: str | None = None
    rest: list[str] = []
    left = iter(words)
    for word in left:
        given, sign, value = word.partition("=")
        if given == name:
            found = value if sign else next(left, "")
        else:
            rest.append(word)
    return found, rest
