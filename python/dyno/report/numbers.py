"""How figures are written: three significant digits, a unit, and n with every estimate.

Decides nothing: the analysis says what a figure means. Missing is never 0: it is written as
`MISSING` or "unavailable".
"""

from __future__ import annotations

import math
from collections.abc import Callable

from dyno.analysis.part import Estimate
from dyno.analysis.signed import MINUS

MISSING = "—"
UNAVAILABLE = "unavailable"
TIME_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def significant(value: float, digits: int = 3) -> str:
    """`value` with `digits` significant digits, trailing zeros kept: 0.48 -> "0.480"."""
    if not math.isfinite(value):
        return "∞" if value > 0 else f"{MINUS}∞" if value < 0 else MISSING
    if value == 0:
        return "0"
    magnitude = math.floor(math.log10(abs(value)))
    decimals = digits - 1 - magnitude
    rounded = round(value, decimals)
    if rounded != 0 and math.floor(math.log10(abs(rounded))) > magnitude:
        decimals -= 1
    return f"{rounded:,.{max(decimals, 0)}f}".replace("-", MINUS)


def ratio(value: float | None) -> str:
    """A ratio, or the sign for missing."""
    return MISSING if value is None else significant(value)


def span(low: float | None, high: float | None, words: Callable[[float], str]) -> str:
    """Both ends in words, as in "1.2 to 1.5 s"; "" if one is missing."""
    return "" if low is None or high is None else f"{words(low)} to {words(high)}"


def point(found: Estimate | None, words: Callable[[float], str] = significant) -> str:
    """An estimate without its interval, or the sign for missing."""
    return MISSING if found is None else words(found.value)


def ends(found: Estimate | None, words: Callable[[float], str] = significant) -> str:
    """The interval of an estimate: "0.463 to 0.501"; "" if there is none."""
    return span(*found.interval, words) if found and found.interval else ""


def estimate(
    found: Estimate | None, basis: str = "", words: Callable[[float], str] = significant
) -> str:
    """An estimate as in running text: "0.482 (0.463 to 0.501)". `basis` is what it is based on,
    inside the brackets: "1.20 s (1.10 to 1.30 s, 12 blocks)".
    """
    inside = ", ".join(filter(None, (ends(found, words), basis)))
    return point(found, words) + (f" ({inside})" if inside else "")


def ratio_of(found: Estimate | None, n: int) -> str:
    """A ratio with its blocks: "0.482 (0.463 to 0.501), n = 12"."""
    return f"{estimate(found)}, n = {n}"


def seconds(value: float | None) -> str:
    """A duration with the unit that leaves one to three digits before the point."""
    if value is None:
        return MISSING
    if value >= 1000:
        return f"{value:,.0f} s"
    for size, unit in TIME_UNITS:
        if abs(value) >= size * 0.9995:
            return f"{significant(value / size)} {unit}"
    return "0 s" if value == 0 else f"{significant(value * 1e9)} ns"


def rate(value: float | None) -> str:
    """Ops per second, without the unit: four significant digits, whole from 1,000 on."""
    return MISSING if value is None else significant(value, 4)


def milliseconds(value: float | None) -> str:
    """A latency given in milliseconds, in the unit that suits it: 0.85 -> "850 µs"."""
    return MISSING if value is None else seconds(value / 1000)


def milliseconds_span(low: float, high: float) -> str:
    """Two latencies in one unit, that of the higher one: "0.950 to 1.20 ms"."""
    size, unit = next(
        ((size, unit) for size, unit in TIME_UNITS if high / 1000 >= size), TIME_UNITS[-1]
    )
    ends = (significant(end / 1000 / size) for end in (low, high))
    return f"{' to '.join(ends)} {unit}"


def count(value: float | None) -> str:
    """A counter: whole numbers in full, with thousands separators; fractions with three digits."""
    if value is None:
        return UNAVAILABLE
    if float(value).is_integer():
        return f"{value:,.0f}".replace("-", MINUS)
    return significant(value, 4) if abs(value) >= 1000 else significant(value)


def percent(fraction: float | None) -> str:
    """A fraction as a percentage with two significant digits: 0.052 -> "5.2 %"."""
    return MISSING if fraction is None else f"{significant(fraction * 100, 2)} %"


def probability(value: float | None) -> str:
    """A p value; small ones as an upper bound."""
    if value is None:
        return MISSING
    return "< 0.001" if value < 0.001 else significant(value, 2)
