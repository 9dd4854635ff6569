"""How far another host's clock is ahead of this one's, from echoes, and how well that is known.

CLOCK_MONOTONIC on both sides: wall clocks step. They only say when, for people.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

# What people would notice in times of two hosts.
WALL_MAX_S = 1.0


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
    """The offset by the echo with the shortest round trip, as in NTP (RFC 5905, section 8). It is
    wrong by at most half of that round trip. Raises ValueError if there are no echoes.
    """
    best = min(echoes, key=lambda echo: echo.round_trip_ns)
    return Offset(ahead_ns=best.ahead_ns, bound_ns=best.round_trip_ns / 2)


def wall_gap_ns() -> int:
    """This host's CLOCK_REALTIME less its CLOCK_MONOTONIC, from the quickest of some readings."""
    readings = [(time.monotonic_ns(), time.time_ns(), time.monotonic_ns()) for _ in range(10)]
    before_ns, wall_ns, after_ns = min(readings, key=lambda reading: reading[2] - reading[0])
    return wall_ns - (before_ns + after_ns) // 2


def wall_warning(ahead_s: float) -> str | None:
    """What is wrong with a load host whose wall clock is this far ahead; None if nothing is."""
    if abs(ahead_s) <= WALL_MAX_S:
        return None
    way = "ahead of" if ahead_s > 0 else "behind"
    return (
        f"its clock is {abs(ahead_s):.1f} s {way} that of the servers' host: times in its files "
        "are off"
    )
