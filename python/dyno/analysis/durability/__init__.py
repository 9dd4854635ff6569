"""What a series of crashes shows: cell by cell, in words, with the claims judged."""

from __future__ import annotations

from dyno.analysis.durability.find import find_losses
from dyno.analysis.durability.model import (
    LOSSES_SCHEMA,
    CellRead,
    Crash,
    Losses,
    Mark,
    PriceList,
    PriceRead,
)
from dyno.analysis.durability.words import KINDS, crash_line, short_time

__all__ = [
    "KINDS",
    "LOSSES_SCHEMA",
    "CellRead",
    "Crash",
    "Losses",
    "Mark",
    "PriceList",
    "PriceRead",
    "crash_line",
    "find_losses",
    "short_time",
]
