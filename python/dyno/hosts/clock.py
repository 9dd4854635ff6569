"""How far another host's clock is ahead of this one's, from echoes, and how well that is known.

CLOCK_MONOTONIC on both sides: wall clocks step.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Echo:
    """Four instants in nanoseconds: sent here, received there, answered there, received here."""

    sent_ns: int
    received_ns: int
    answered_ns: int
    returned_ns: int

    @property
    def round_trip_ns(self) -> int:
        """The time on the way, both ways together."""
        return (self.returned_ns - self.sent_ns) - (self.answered_ns - self.received_ns)

    @property
    def ahead_ns(self) -> float:
        """How far the other clock is ahead, if both ways took equally long."""
        out_ns = self.received_ns - self.sent_ns
        back_ns = self.answered_ns - self.returned_ns
        return (out_ns + back_ns) / 2


@dataclass(frozen=True)
class Offset:
    """The other clock is ahead by `ahead_ns`, which is wrong by at most `bound_ns` either way."""

    ahead_ns: float
    bound_ns: float

    def here(self, there_ns: int) -> int:
        """What this clock shows at an instant of the other one."""
        return round(there_ns - self.ahead_ns)


def offset_of(echoes: Iterable[Echo]) -> Offset:
    """From the echo with the shortest way, as NTP takes it (RFC 5905, section 8): whatever delayed
    the others, it can't be wrong by more than half of its round trip. Raises ValueError for none.
    """
    best = min(echoes, key=lambda echo: echo.round_trip_ns)
    return Offset(ahead_ns=best.ahead_ns, bound_ns=best.round_trip_ns / 2)
