"""How a figure that may be below zero is written, in sentences and in tables alike."""

from __future__ import annotations

MINUS = "\N{MINUS SIGN}"


def number(value: float, digits: int = 1, *, sign: str = "") -> str:
    """A number with a minus sign, and never "−0.0". `sign`: "+" is written before all others."""
    return f"{value:{sign}z.{digits}f}".replace("-", MINUS)
