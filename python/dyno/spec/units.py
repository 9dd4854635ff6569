"""Durations, sizes, counts and sentences as people write them. Not for measured figures."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BeforeValidator

from dyno.spec.words import shortened

# Longer ones are mistakes, or don't fit in a number of nanoseconds.
LONGEST_S = 100 * 86400.0
BYTES_MAX = 2**63 - 1
_DURATION_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_DURATION_PART = re.compile(r"(\d{1,15}(?:\.\d{1,15})?)(ms|s|m|h|d)")
_SIZE = re.compile(r"(\d{1,19})\s*(?:([kmgt])b?)?")
_POWER = {"k": 1, "m": 2, "g": 3, "t": 4}


def parse_duration_s(text: object) -> float:
    """Seconds in `text`: "90s", "20m", "1h30m", or a bare number of seconds.

    Raises ValueError, which names the forms, for anything else.
    """
    if isinstance(text, (int, float)) and not isinstance(text, bool):
        seconds = float(text)
    else:
        raw = str(text).strip().lower()
        parts = _DURATION_PART.findall(raw)
        if not parts or "".join(number + unit for number, unit in parts) != raw:
            raise ValueError(f"{shortened(str(text))!r} is not a duration; write 90s, 20m or 1h30m")
        seconds = sum(float(number) * _DURATION_S[unit] for number, unit in parts)
    if seconds < 0:
        raise ValueError(f"{text!r} is a negative duration")
    if not seconds <= LONGEST_S:
        raise ValueError(f"{shortened(str(text))!r} is too long; a duration is at most 100 days")
    return seconds


def parse_bytes(text: object) -> int:
    """Bytes in `text`, as servers write sizes: "64K", "16M", "1G", or a bare number of bytes.

    Raises ValueError, which names the forms, for anything else.
    """
    found = _SIZE.fullmatch(str(text).strip().lower())
    if found is None:
        shown = shortened(str(text))
        raise ValueError(f"{shown!r} is not a size; write 64K, 16M or a number of bytes")
    size_bytes = int(found[1]) << 10 * _POWER.get(found[2] or "", 0)
    if size_bytes > BYTES_MAX:
        raise ValueError(f"{shortened(str(text))!r} is too large; a size is below 8 EiB")
    return size_bytes


def format_duration(seconds: float) -> str:
    """A duration for people: "8.2 s", "3 min 20 s", "2 h 5 min"."""
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s" if whole % 60 else f"{whole // 60} min"
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes % 60 else f"{minutes // 60} h"


def format_bytes(size_bytes: float) -> str:
    """A size for people, in binary units: "1.2 GiB"."""
    value = float(size_bytes)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(value) < 1024:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} TiB"


def possessive(name: str) -> str:
    """Whose something is, by name: "MySQL 9.7's", "MyRocks'"."""
    return f"{name}'" if name.endswith("s") else f"{name}'s"


def plural(number: int, noun: str) -> str:
    """The number with its noun: "1 block", "12 blocks", "3 crashes"."""
    ending = "" if number == 1 else "es" if noun.endswith("sh") else "s"
    return f"{number:,} {noun}{ending}"


def capital(text: str) -> str:
    """The text with a capital letter, as it begins a sentence. It isn't empty."""
    return text[0].upper() + text[1:]


DurationSeconds = Annotated[float, BeforeValidator(parse_duration_s)]
SizeBytes = Annotated[int, BeforeValidator(parse_bytes)]
