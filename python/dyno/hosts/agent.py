"""What runs on a load host for its driver: one dynoload at a time, as long as the lease holds.

All methods are coroutines, because the engine gives the plain methods of all its actors one thread:
the renewal of a lease would wait for a load.
"""

from __future__ import annotations

import asyncio
import shutil
import time
from pathlib import Path

from dyno.hosts.lease import LEASE_S, Lease
from dyno.hosts.local import LocalHost
from dyno.spec.load_plan import LoadPlan


class Agent:
    """The load host `name`; `folder` is made and removed with it."""

    def __init__(self, name: str, folder: Path, *, lease_s: float = LEASE_S) -> None:
        self._folder = folder
        self._host = LocalHost(name, folder)
        self._lease = Lease(self._clear, seconds=lease_s)

    async def renew(self) -> bool:
        """Go on for as long as a lease lasts; False if it has ended."""
        return self._lease.renew()

    async def now_ns(self) -> int:
        """This host's CLOCK_MONOTONIC."""
        return time.monotonic_ns()

    async def begin(self, plan: str, password: str | None) -> int:
        """Start dynoload on a plan in JSON; gives its pid. Raises LoadError."""
        parsed = LoadPlan.model_validate_json(plan)
        await asyncio.to_thread(self._host.begin, parsed, password)
        return self._host.generator.pid

    async def hear(self, wait_s: float) -> list[bytes] | None:
        """Its lines since; None once it wrote all."""
        return await asyncio.to_thread(self._host.hear, wait_s)

    async def go(self, at_ns: int) -> None:
        """Begin a phase at this instant of this host's clock."""
        self._host.go(at_ns)

    async def enough(self) -> None:
        """End the current phase."""
        self._host.enough()

    async def ended(self) -> tuple[int, str]:
        """Wait for its end: its exit code and what it wrote to stderr."""
        return await asyncio.to_thread(self._host.ended)

    async def end(self) -> None:
        """Stop it, and leave nothing behind."""
        self._lease.give_back()
        await asyncio.to_thread(self._clear)

    def _clear(self) -> None:
        self._host.end()
        shutil.rmtree(self._folder, ignore_errors=True)
