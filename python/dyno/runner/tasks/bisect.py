"""The steps of a search: which value is tried next, and when enough is known. It knows no server.

Values are bisected by their logarithm: 64 KiB is as far from 1 MiB as 1 MiB is from 16 MiB.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace

from dyno.runner.tasks.done import Done, Work
from dyno.spec.least import Least
from dyno.store.trial import Attempt

# Tries one value. None: the server rounds it to a value that was tried already.
Trying = Callable[[int], Attempt | None]


class SearchEndedError(Exception):
    """What ends a search without a result for a value; `attempt` was the last one with a result."""

    def __init__(self, done: Done, attempt: Attempt | None = None) -> None:
        super().__init__(done.message)
        self.done = done
        self.attempt = attempt


def search(least: Least, attempt: Trying) -> Work:
    """Search. The attempts made are kept even if it ends early."""
    made: list[Attempt] = []
    found: int | None = None
    begun_s = time.monotonic()

    def noted(value: int) -> Attempt | None:
        tried = attempt(value)
        if tried is not None:
            made.append(tried)
            if tried.outcome == "timeout":
                raise SearchEndedError(_as(tried))
        return tried

    try:
        found = _least(noted, low=least.from_, high=least.to, within=least.within)
        done = Done("ok", 0.0, 0.0) if found is not None else _as(made[0])
    except SearchEndedError as over:
        made += [over.attempt] if over.attempt is not None else []
        done = over.done
    timed = replace(done, begun_s=begun_s, elapsed_s=time.monotonic() - begun_s)
    return Work(timed, attempts=made, least=found)


def _as(tried: Attempt) -> Done:
    """The whole search ends as this attempt did; its times are the search's."""
    return Done(tried.outcome, 0.0, 0.0, tried.code, tried.message)


def _least(attempt: Trying, *, low: int, high: int, within: float) -> int | None:
    """The least value that works; None if `high` doesn't. If `low` works, it is that one."""
    top = attempt(high)
    if top is None or top.outcome != "ok":
        return None
    bottom = attempt(low)
    if bottom is None:
        return top.value
    if bottom.outcome == "ok":
        return bottom.value
    fails, does = bottom.value, top.value
    while does > fails * (1 + within):
        middle = round(math.sqrt(fails * does))
        tried = attempt(middle) if fails < middle < does else None
        if tried is None:
            break
        if tried.outcome == "ok":
            does = tried.value
        else:
            fails = tried.value
    return does
