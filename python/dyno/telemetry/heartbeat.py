"""The `heartbeat` collector: how late the sampler itself was woken.

A thread that only waits is late only if the host (or this interpreter, busy in another thread)
stalled; a stall in the load's latencies at the same time then isn't the server's doing. The sampler
owns one and reports every wake-up to it.
"""

from __future__ import annotations

from dyno.telemetry.collector import Column


class Heartbeat:
    """Holds the last wake-up. The samples at start and stop have none, so no value."""

    name = "heartbeat"
    columns = (
        Column("heartbeat_late_ms", "ms", "how late the sampler's wake-up was", "lower"),
        Column("heartbeat_missed", "samples", "instants skipped before this one because the "
               "sampler was later than an interval", "lower"),
    )  # fmt: skip

    def __init__(self) -> None:
        self.unavailable: dict[str, str] = {}
        self._values: dict[str, float | None] = {}
        self.clear()

    def beat(self, *, late_s: float, missed: int) -> None:
        """Record a wake-up `late_s` seconds after its due time, with `missed` samples left out."""
        self._values = {"heartbeat_late_ms": max(0.0, late_s) * 1000, "heartbeat_missed": missed}

    def clear(self) -> None:
        """The next sample doesn't follow a wake-up."""
        self._values = {column.name: None for column in self.columns}

    def sample(self) -> dict[str, float | None]:
        """The last wake-up."""
        return dict(self._values)
