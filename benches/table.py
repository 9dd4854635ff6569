"""How results are shown: the table for people, bench.json for programs, a line of the history."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from benches.judge import Result

HEAD = ("row", "Dyno", "peer", "ratio", "interval", "spread", "n", "bar", "")
RIGHT = ("Dyno", "ratio", "spread", "n")


def table(results: Sequence[Result]) -> str:
    """All results in columns."""
    lines = [HEAD, *(_cells(result) for result in results)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEAD))]
    return "\n".join(
        "  ".join(
            text.rjust(width) if name in RIGHT else text.ljust(width)
            for name, text, width in zip(HEAD, line, widths, strict=True)
        ).rstrip()
        for line in lines
    )


def _cells(result: Result) -> tuple[str, ...]:
    unit = result.row.figure.unit
    bounded = math.isfinite(result.high)
    interval = f"{result.low:.3f} to {result.high:.3f}" if bounded else "none: n < 6"
    return (
        result.row.name,
        f"{_figure(result.dyno)} {unit}",
        "" if result.versus is None else f"{result.row.peer} {_figure(result.versus)} {unit}",
        f"{result.ratio:.3f}",
        interval,
        f"x {result.spread:.2f}" if math.isfinite(result.spread) else "",
        str(result.n),
        "" if result.row.bar is None else str(result.row.bar),
        verdict(result),
    )


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def verdict(result: Result) -> str:
    """Whether the bar holds, by the estimate; and whether the interval agrees."""
    if result.holds is None:
        return ""
    word = "holds" if result.holds else "MISSED"
    if not math.isfinite(result.high):
        return f"{word}, without an interval"
    return word if result.clear else f"{word}, but the interval reaches over the bar"


def entry(result: Result) -> dict[str, Any]:
    """A result for programs; null for what isn't bounded or isn't there."""
    bar = result.row.bar
    return {
        "name": result.row.name,
        "ratio": result.ratio,
        "low": _number(result.low) if math.isfinite(result.high) else None,
        "high": _number(result.high),
        "n": result.n,
        "bar": None if bar is None else bar.limit,
        "bar_is": None if bar is None else bar.kind,
        "holds": result.holds,
    }


def history_entry(result: Result) -> dict[str, Any]:
    """A result for the history: with the medians that the ratio comes from."""
    return {
        **entry(result),
        "unit": result.row.figure.unit,
        "dyno": result.dyno,
        "peer": result.row.peer,
        "versus": result.versus,
    }


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
