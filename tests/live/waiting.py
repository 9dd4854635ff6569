"""Waiting for what a test needs, however long a busy host takes for it."""

from __future__ import annotations

import time
from collections.abc import Callable


def wait_until(holds: Callable[[], object], limit_s: float = 180) -> None:
    end = time.monotonic() + limit_s
    while not holds():
        assert time.monotonic() < end, "it didn't come true in time"
        time.sleep(0.01)
