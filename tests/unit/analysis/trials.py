"""A trial of which a test says only what it is about."""

from __future__ import annotations

from typing import Any

from dyno.store.trial import Trial

ANY: dict[str, Any] = {
    "number": 1,
    "arm": "A",
    "block": 0,
    "position": 0,
    "status": "ok",
    "started_unix_ms": 0,
    "duration_s": 12.0,
}


def trial_of(**keys: Any) -> Trial:
    """A good one, with these keys."""
    return Trial(**ANY | keys)
