"""How charts look: colours, type, sizes, axes of ratios. To the page each colour here is a name.

A drawn chart keeps these literal colours, and the page's style sheet replaces each of them in dark
mode (see assets/report.css), so a colour must be used for one thing only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

PAPER = "#ffffff"
INK = "#1c2430"
MUTED = "#5b6675"
GRID = "#e4e8ee"
AXIS = "#b6bfca"
LESS = "#17659f"
MORE = "#b4490f"
EVEN = "#6a7482"
BAND = "#f3e2b3"
BAND_EDGE = "#c9a545"
DOT = "#4a7fb0"
BASE = "#8a6fb0"
# One colour per arm to tell arms apart; charts/arms.py adds a shape.
ARM_1 = "#2563b8"
ARM_2 = "#b34508"
ARM_3 = "#05685a"
ARM_4 = "#c9509f"
ARM_5 = "#9c8200"
ARM_6 = "#5f50d0"
ARM_7 = "#4c565f"
ARM_8 = "#a3171b"
ARMS = (ARM_1, ARM_2, ARM_3, ARM_4, ARM_5, ARM_6, ARM_7, ARM_8)

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
TEXT_PX = 12
LINE_PX = 14
# Wider than the font that the chart is measured with: a page may have a wider one.
CHAR_PX = 7.1
DIGIT_PX = 7.7

CONFIG: dict[str, Any] = {
    "background": PAPER,
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        "labelFont": FONT,
        "labelFontSize": TEXT_PX,
        "labelColor": INK,
        "titleFont": FONT,
        "titleFontSize": TEXT_PX,
        "titleFontWeight": "normal",
        "titleColor": MUTED,
        "gridColor": GRID,
        "domainColor": AXIS,
        "tickColor": AXIS,
    },
    "title": {
        "font": FONT,
        "fontSize": 13,
        "fontWeight": 600,
        "color": INK,
        "subtitleFont": FONT,
        "subtitleFontSize": TEXT_PX,
        "subtitleColor": MUTED,
        "subtitlePadding": 3,
    },
    "text": {"font": FONT, "fontSize": TEXT_PX, "color": INK},
    "concat": {"spacing": 14},
}

# Short enough for the edge of a small panel: "8,000", "15k".
THOUSANDS = (
    "datum.value >= 10000 ? format(datum.value / 1000, '~r') + 'k' : format(datum.value, ',~f')"
)

RATIO_TICKS = (
    (1.12, (0.9, 0.92, 0.94, 0.96, 0.98, 1, 1.02, 1.04, 1.06, 1.08, 1.1)),
    (1.6, (0.65, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.4, 1.55)),
    (4.5, (0.25, 0.33, 0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 3, 4)),
    (150, tuple(step * 10.0**power for power in range(-3, 3) for step in (1, 2, 5))),
    (math.inf, tuple(10.0**power for power in range(-9, 10))),
)


@dataclass(frozen=True)
class Page:
    """The width of the page that a chart is drawn for."""

    width_px: int
    narrow: bool


# Room on the right, for a page whose font is wider than the one that the chart is measured with.
PADDING_PX = {
    True: {"left": 6, "top": 6, "right": 6, "bottom": 6},
    False: {"left": 6, "top": 6, "right": 26, "bottom": 6},
}

WIDE = Page(width_px=930, narrow=False)
NARROW = Page(width_px=340, narrow=True)


def label_width_px(labels: list[str], most: int = 380, char_px: float = CHAR_PX) -> int:
    """Room for the widest line of `labels`, estimated from its length."""
    longest = max((len(line) for label in labels for line in label.split("\n")), default=0)
    return min(most, math.ceil(longest * char_px) + 10)


def wrapped(pair: str, most: int = 38) -> str:
    """A long "A / B" on two lines."""
    if len(pair) <= most or " / " not in pair:
        return pair
    first, second = pair.split(" / ", 1)
    return f"{first} /\n{second}"


def ratio_domain(values: list[float]) -> tuple[float, float]:
    """A domain for a log axis of ratios with 1 in its middle.

    If everything lies far on one side, the other side is cut to half, to save room.
    """
    room = 1.08
    below = max([1.04, *(1 / v for v in values if v > 0)]) * room
    above = max([1.04, *values]) * room
    if max(below, above) <= 4:
        below = above = max(below, above)
    else:
        least = math.sqrt(max(below, above))
        below, above = max(below, least), max(above, least)
    return 1 / below, above


def steps(low: float, high: float) -> list[float]:
    """Ticks of a log axis of positive figures: 1, 2 and 5 of every power of ten in between."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    found = [step * 10.0**power for power in powers for step in (1, 2, 5)]
    inside = [tick for tick in found if low <= tick <= high]
    return inside if len(inside) <= 9 else [t for t in inside if math.log10(t).is_integer()]


def round_steps(high: float) -> list[float]:
    """Three to five ticks from 0 on, all below `high`, so that no label is above a panel."""
    if high <= 0:
        return [0.0]
    least = high / 4.2
    power = 10.0 ** math.floor(math.log10(least))
    step = next(power * times for times in (1, 2, 2.5, 5, 10) if power * times >= least)
    return [step * i for i in range(int(high * 0.99 / step) + 1)]


def ratio_ticks(domain: tuple[float, float], narrow: bool) -> list[float]:
    """Ticks that read well on a log axis over `domain`."""
    widest = max(1 / domain[0], domain[1])
    ticks = next(ticks for most, ticks in RATIO_TICKS if widest <= most)
    inside = [tick for tick in ticks if domain[0] <= tick <= domain[1]]
    most = 6 if narrow else 9
    every = math.ceil(len(inside) / most)
    middle = inside.index(1)
    return [tick for place, tick in enumerate(inside) if (place - middle) % every == 0]
