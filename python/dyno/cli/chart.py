"""A small chart of block characters for the terminal: numbers in, lines out. Knows no load."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

_EIGHTHS = " ▁▂▃▄▅▆▇█"


def bars(
    values: Sequence[float | None],
    *,
    width: int,
    height: int,
    label: Callable[[float], str],
) -> list[str]:
    """The last `width` values as bars from 0, newest at the right; lines from top to bottom.

    The highest value fills the height; it stands with its `label` at the left of the first line,
    and 0 at the left of the last. A missing value is an empty column, 0 a thin one, so that the
    two look different.
    """
    shown = [None] * (width - len(values)) + list(values[-width:])
    top = max((value for value in shown if value is not None), default=0.0)
    levels = [_level(value, top, height * 8) for value in shown]
    heads = [label(top), *[""] * (height - 2), "0"][:height]
    margin = max(map(len, heads))
    return [
        f"{heads[row]:>{margin}} │"
        + "".join(_EIGHTHS[min(8, max(0, level - 8 * (height - 1 - row)))] for level in levels)
        for row in range(height)
    ]


def _level(value: float | None, top: float, eighths: int) -> int:
    """How many eighths of a line a value fills: at least one where there is a value."""
    if value is None:
        return 0
    return max(1, math.ceil(value / top * eighths)) if top > 0 else 1
