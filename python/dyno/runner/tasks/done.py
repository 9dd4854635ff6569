"""What came of a task, and who may end it before its time. No server is known here."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from dyno.store.trial import Attempt, Outcome, Progress


@dataclass(frozen=True)
class Done:
    """How a task ended. `begun_s` is on this process's monotonic clock; `code` and `message` are
    the server's where it said something. `by_server`: what failed is an error of the SQL that the
    server reported, not one of the way to it.
    """

    outcome: Outcome
    begun_s: float
    elapsed_s: float
    code: int | None = None
    message: str | None = None
    by_server: bool = False


@dataclass(frozen=True)
class Work:
    """How a task ended, and what was seen on its way: of one that searches its attempts and the
    least value that did, of other SQL how far it was.
    """

    done: Done
    progress: list[Progress] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)
    least: int | None = None


class Cancel:
    """Says from another thread that a task must end, once, and why."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self.reason = ""
        self.in_a_hurry = False

    def say(self, reason: str, *, in_a_hurry: bool = False) -> None:
        """From now on nothing is waited for any more; only the first reason counts. Who is
        `in_a_hurry` doesn't wait for a server that undoes what was killed, either.
        """
        if not self._event.is_set():
            self.reason = reason
            self.in_a_hurry = in_a_hurry
            self._event.set()

    @property
    def is_said(self) -> bool:
        """Whether it was said."""
        return self._event.is_set()

    def wait(self, timeout_s: float) -> bool:
        """Wait until it is said, for at most so long; whether it was."""
        return self._event.wait(max(timeout_s, 0.0))
