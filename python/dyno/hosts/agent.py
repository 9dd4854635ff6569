"""What runs on a load host for its driver: a dynoload, as long as the lease holds.

All methods are coroutines, because the engine gives the plain methods of all its actors one thread:
the renewal of a lease would wait for a load.
"""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

from dyno.errors import LoadError
from dyno.hosts.generator import Generator
from dyno.hosts.lease import LEASE_S, Lease
from dyno.spec.load_plan import LoadPlan


class Agent:
    """Runs one load. `folder` is made and removed with it."""

    def __init__(self, folder: Path, *, lease_s: float = LEASE_S) -> None:
        folder.mkdir(parents=True)
        self._folder = folder
        self._load: Generator | None = None
        self._lease = Lease(self._clear, seconds=lease_s)

    async def renew(self) -> bool:
        """Go on for as long as a lease lasts; False if it has ended."""
        return self._lease.renew()

    async def begin(self, plan: str, password: str | None) -> int:
        """Start dynoload on a plan in JSON; gives its pid. Raises LoadError."""
        self._load = await asyncio.to_thread(
            Generator, LoadPlan.model_validate_json(plan), self._folder, password=password
        )
        if not self._lease.renew():
            # It ended when there was nothing to stop yet.
            await asyncio.to_thread(self._clear)
            raise LoadError("the lease ended before dynoload had started")
        return self._load.pid

    async def hear(self, wait_s: float) -> list[bytes] | None:
        """Its lines since; None once it wrote all."""
        return await asyncio.to_thread(self._begun.hear, wait_s)

    async def go(self, at_ns: int) -> None:
        """Begin a phase at this instant of this host's clock."""
        self._begun.go(at_ns)

    async def enough(self) -> None:
        """End the current phase."""
        self._begun.enough()

    async def ended(self) -> tuple[int, str]:
        """Wait for its end: its exit code and what it wrote to stderr."""
        return await asyncio.to_thread(self._begun.ended)

    async def end(self) -> None:
        """Stop it, and leave nothing behind."""
        self._lease.give_back()
        await asyncio.to_thread(self._clear)

    @property
    def _begun(self) -> Generator:
        assert self._load is not None, "begin comes first"
        return self._load

    def _clear(self) -> None:
        if self._load is not None:
            self._load.end()
        shutil.rmtree(self._folder, ignore_errors=True)
