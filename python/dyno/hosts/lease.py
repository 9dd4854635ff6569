"""Permission to run for a host whose driver may vanish: it ends unless it is renewed.

Neither a cut link nor a killed driver is reported to a load host within a useful time, so a host
stops on its own once it has heard nothing for long enough.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

LEASE_S = 3.0


class Lease:
    """Calls `on_end` once, from a thread of its own, when nobody has renewed it for `seconds`."""

    def __init__(self, on_end: Callable[[], None], *, seconds: float = LEASE_S) -> None:
        self._on_end = on_end
        self._seconds = seconds
        self._changed = threading.Condition()
        self._until_s = time.monotonic() + seconds
        self._state = "held"
        threading.Thread(target=self._watch, name="dyno-lease", daemon=True).start()

    @property
    def has_ended(self) -> bool:
        """Whether it ran out."""
        return self._state == "ended"

    def renew(self) -> bool:
        """Hold it for as long again; False if it has ended, which nothing can undo."""
        with self._changed:
            self._until_s = time.monotonic() + self._seconds
            return self._state == "held"

    def give_back(self) -> None:
        """End it without calling `on_end`."""
        with self._changed:
            if self._state == "held":
                self._state = "given back"
            self._changed.notify()

    def _watch(self) -> None:
        with self._changed:
            while self._state == "held":
                left_s = self._until_s - time.monotonic()
                if left_s <= 0:
                    self._state = "ended"
                else:
                    self._changed.wait(left_s)
        if self.has_ended:
            self._on_end()
