"""The result of a task, and who may end it early. No server is known here."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from dyno.store.trial import Attempt, Outcome, Progress


@dataclass(frozen=True)
class Done:
    """How a task ended. `begun_s` is on this process's monotonic clock; `code` and `message` are
    the server's if it reported any. `by_server`: the failure is an SQL error that the server
    reported, not an error on the way to it.
    """

    outcome: Outcome
    begun_s: float
    elapsed_s: float
    code: int | None = None
    message: str | None = None
    by_server: bool = False


@dataclass(frozen=True)
class Work:
    """How a task ended, and what was seen meanwhile: for a search its attempts and the least value
    that worked, for other SQL its progress.
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
        """From now on nothing is waited for any more; only the first reason counts. With
        `in_a_hurry`, not even for a server that undoes what was killed.
        """
        if not self._event.is_set():
            self.reason = reason
            self.in_a_hurry = in_a_hurry
            self._event.set()

    @property
    def is_said(self) -> bool:
        """Whether the task must end."""
        return self._event.is_set()

    def wait(self, timeout_s: float) -> bool:
        """Wait at most this long for the cancellation; whether it came."""
        return self._event.wait(max(timeout_s, 0.0))
