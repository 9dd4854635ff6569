"""What runs on a load host for its driver: one dynoload at a time, as long as the lease holds.

All methods are coroutines, because the engine gives the plain methods of all its actors one thread:
the renewal of a lease would wait for a load.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path

from dyno.errors import LoadError
from dyno.hosts.alone import measuring_alone
from dyno.hosts.clock import Offset
from dyno.hosts.echo import EchoAddress
from dyno.hosts.generator import Generator
from dyno.hosts.here import HostRead, read_host
from dyno.hosts.lease import LEASE_S, Lease
from dyno.hosts.network import measure_network, measure_offset
from dyno.hosts.watched import HostWatched, Watcher
from dyno.servers import find_home
from dyno.spec.load_plan import LoadPlan
from dyno.store.load_host import NetworkRead


class Agent:
    """Runs loads, each in a folder of its own that goes with it."""

    def __init__(self, echo: EchoAddress, *, lease_s: float = LEASE_S) -> None:
        """`echo`: where its driver sends back what comes."""
        self._echo = echo
        self.folder = Path(tempfile.mkdtemp(prefix="dyno-load-"))
        self._load: Generator | None = None
        self._watcher: Watcher | None = None
        self._held = ExitStack()
        self._lease = Lease(self._abandon, seconds=lease_s)

    async def read(self) -> HostRead:
        """What this host is, and which Dyno it has."""
        return await asyncio.to_thread(read_host)

    async def hold(self) -> None:
        """Let no other run measure on this host until the lease ends. Raises RunFailedError."""
        self._held.enter_context(measuring_alone(find_home()))

    async def measure_offset(self) -> Offset:
        """How far the driver's clock is ahead now. Raises LoadError if no echo comes."""
        return await asyncio.to_thread(measure_offset, self._echo)

    async def measure_network(self) -> NetworkRead:
        """The way to the driver now. Raises LoadError as above."""
        return await asyncio.to_thread(measure_network, self._echo)

    async def renew(self) -> bool:
        """Go on for as long as a lease lasts; False if it has ended."""
        return self._lease.renew()

    async def begin(self, plan: str, password: str | None) -> int:
        """Start dynoload on a plan in JSON; gives its pid. Raises LoadError."""
        await self.end()
        if self._lease.renew():
            self._load = await asyncio.to_thread(
                Generator, LoadPlan.model_validate_json(plan), self.folder, password=password
            )
            self._watcher = await asyncio.to_thread(Watcher)
        # It may have ended when there was nothing to stop yet.
        if self._load is None or not self._lease.renew():
            await asyncio.to_thread(self._abandon)
            raise LoadError("the lease ended before dynoload had started")
        return self._load.pid

    async def hear(self, wait_s: float) -> list[bytes] | None:
        """Its lines since; None once it wrote all."""
        return await asyncio.to_thread(self._begun.hear, wait_s)

    async def go(self, at_ns: int) -> float:
        """Begin a phase at this instant of the driver's clock; gives by how many nanoseconds that
        may be wrong. A clock drifts: it is compared each time. Raises LoadError as above.
        """
        offset = await self.measure_offset()
        return self._begun.go(offset.here(at_ns)) + offset.bound_ns

    async def enough(self) -> None:
        """End the current phase."""
        self._begun.enough()

    async def ended(self) -> tuple[int, str]:
        """Wait for its end: its exit code and what it wrote to stderr."""
        return await asyncio.to_thread(self._begun.ended)

    async def watched(self) -> HostWatched:
        """What this host saw of itself while it made the load, which has ended."""
        assert self._watcher is not None, "begin comes first"
        return await asyncio.to_thread(self._watcher.stop)

    async def end(self) -> None:
        """Stop it, if one runs."""
        if self._load is not None:
            await asyncio.to_thread(self._load.end)
            self._load = None
        if self._watcher is not None:
            await asyncio.to_thread(self._watcher.stop)
            self._watcher = None

    async def leave(self) -> None:
        """End, and leave nothing behind."""
        self._lease.give_back()
        await self.end()
        self._clear()

    @property
    def _begun(self) -> Generator:
        assert self._load is not None, "begin comes first"
        return self._load

    def _abandon(self) -> None:
        """What nobody needs any more ends at once."""
        if self._load is not None:
            self._load.kill()
        if self._watcher is not None:
            self._watcher.stop()
        self._clear()

    def _clear(self) -> None:
        self._held.close()
        shutil.rmtree(self.folder, ignore_errors=True)
