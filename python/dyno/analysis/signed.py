"""How a figure that may be below zero is written, in sentences and in tables alike."""

from __future__ import annotations

from collections.abc import Callable

MINUS = "\N{MINUS SIGN}"


def number(value: float, digits: int = 1, *, sign: str = "") -> str:
    """A number with a minus sign, and never "−0.0". `sign`: "+" is written before all others."""
    return f"{value:{sign}z.{digits}f}".replace("-", MINUS)


def more_digits(low: float, high: float, shown: Callable[[float, int], str]) -> int:
    """How many digits more than usual tell the ends of an interval apart, two at most; 0 if these
    don't either. `shown(end, more)` writes an end.
    """
    return next((more for more in range(3) if shown(low, more) != shown(high, more)), 0)
