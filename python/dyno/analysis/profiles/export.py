"""Profiles for other programs: speedscope's JSON. Their text is in `dyno.store.stacks`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dyno.store.stacks import Frame, Stacks

_SCHEMA = "https://www.speedscope.app/file-format-schema.json"


def speedscope(profiles: Mapping[str, Stacks], *, name: str) -> dict[str, Any]:
    """A file for speedscope with a profile of each name, in their order: of a trial, or of the sum
    of an arm's trials.

    Format: https://www.speedscope.app/file-format-schema.json, profiles of the type "sampled". A
    stack is there once, weighted with its samples; stacks are in alphabetical order, so that equal
    profiles give equal files.
    """
    at: dict[Frame, int] = {}
    found = [_sampled(title, stacks, at) for title, stacks in profiles.items()]
    return {
        "$schema": _SCHEMA,
        "shared": {"frames": [{"name": _title(frame), "file": frame.object} for frame in at]},
        "profiles": found,
        "name": name,
        "activeProfileIndex": 0,
        "exporter": "dyno",
    }


def _sampled(title: str, stacks: Stacks, at: dict[Frame, int]) -> dict[str, Any]:
    """One profile; frames that aren't in `at` are added to it."""
    known = sorted((stack, n) for stack, n in stacks.items() if n)
    return {
        "type": "sampled",
        "name": title,
        "unit": "none",
        "startValue": 0,
        "endValue": sum(n for _, n in known),
        "samples": [[at.setdefault(frame, len(at)) for frame in stack] for stack, _ in known],
        "weights": [n for _, n in known],
    }


def _title(frame: Frame) -> str:
    return f"{frame.symbol} (inlined)" if frame.is_inlined else frame.symbol
