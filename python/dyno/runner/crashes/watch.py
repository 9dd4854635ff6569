"""What hears of a series' progress."""

from __future__ import annotations

from typing import Protocol

from dyno.store.crash import Crash
from dyno.store.priced import Priced


class Watch(Protocol):
    """What hears of the progress."""

    def say(self, text: str) -> None:
        """What is done now."""

    def crashed(self, crash: Crash, *, done: int, most: int, eta_s: float | None) -> None:
        """A crash is over: how many are, how many there may be, and how long these take at most."""

    def priced(self, priced: Priced, *, done: int, most: int, eta_s: float) -> None:
        """An arm was measured: how many times arms were, how often they will be, and how long the
        rest takes.
        """

    def note(self, text: str) -> None:
        """Something that stays on the screen."""
