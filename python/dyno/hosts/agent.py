"""What runs on a host for its driver, one program at a time, as long as the lease holds: dynoload,
or on a server host the blocks of a run.

All methods are coroutines, because the engine gives the plain methods of all its actors one thread:
the renewal of a lease would wait for a load.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from dyno.errors import LoadError
from dyno.home import find_home
from dyno.hosts.alone import measuring_alone
from dyno.hosts.clock import Offset
from dyno.hosts.echo import EchoAddress
from dyno.hosts.generator import Generator, WrittenPlan
from dyno.hosts.here import HostRead, read_host
from dyno.hosts.lease import LEASE_S, Lease
from dyno.hosts.network import Way, measure_network, measure_offset
from dyno.hosts.program import Program
from dyno.hosts.watched import HostWatched, OwnCpu, Watcher

# Named, not imported: it loads all that a server's host needs.
BLOCKS = "dyno.runner.apart"
BLOCKS_GRACE_S = 1.5
CHUNK_BYTES = 4 << 20


class Agent:
    """Runs loads or blocks in a folder of its own, which goes with it."""

    def __init__(self, echo: EchoAddress, *, lease_s: float = LEASE_S) -> None:
        """`echo`: where its driver sends back what comes."""
        self._echo = echo
        self.folder = Path(tempfile.mkdtemp(prefix="dyno-load-"))
        self._running: Program | None = None
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

    async def measure_network(self) -> Way:
        """The way to the driver now. Raises LoadError as above."""
        return await asyncio.to_thread(measure_network, self._echo)

    async def rest(self, seconds: float) -> float:
        """Do nothing but renew the lease; gives what this process took, per cent of one core."""
        own = OwnCpu()
        await asyncio.sleep(seconds)
        return own.share_pct()

    async def renew(self) -> bool:
        """Go on for as long as a lease lasts; False if it has ended."""
        return self._lease.renew()

    async def begin(self, plan: WrittenPlan, password: str | None) -> int:
        """Start dynoload on a plan; gives its pid. Raises LoadError."""
        await self.end()
        if self._lease.renew():
            self._running = await asyncio.to_thread(Generator, plan, self.folder, password=password)
            self._watcher = await asyncio.to_thread(Watcher)
        return await self._begun_in_time()

    async def _begun_in_time(self) -> int:
        """The pid of what was started. The lease may have ended when nothing was there to stop."""
        if self._running is None or not self._lease.renew():
            await asyncio.to_thread(self._abandon)
            raise LoadError("the lease ended before anything had started")
        return self._running.pid

    async def begin_blocks(self, name: str, files: Mapping[str, str]) -> int:
        """Start what runs the blocks of a run, whose folder has a name and these files; gives its
        pid. Raises LoadError.
        """
        await self.end()
        if self._lease.renew():
            self._running = await asyncio.to_thread(self._blocks, self.folder / name, files)
        return await self._begun_in_time()

    def _blocks(self, run: Path, files: Mapping[str, str]) -> Program:
        run.mkdir()
        for name, text in files.items():
            (run / name).write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", BLOCKS, str(run)]
        return Program(
            command,
            self.folder / "blocks.err",
            env=os.environ,
            takes_lines=True,
            grace_s=BLOCKS_GRACE_S,
        )

    async def read_file(self, name: str, offset: int) -> bytes:
        """The next bytes of a file in its folder; none at its end."""
        return await asyncio.to_thread(self._bytes_of, self.folder / name, offset)

    def _bytes_of(self, path: Path, offset: int) -> bytes:
        assert path.resolve().is_relative_to(self.folder.resolve()), path
        with path.open("rb") as file:
            file.seek(offset)
            return file.read(CHUNK_BYTES)

    async def say(self, line: bytes) -> None:
        """Write a line to the input of what runs."""
        await asyncio.to_thread(self._begun.say, line)

    async def hear(self, wait_s: float) -> list[bytes] | None:
        """Its lines since; None once it wrote all."""
        return await asyncio.to_thread(self._begun.hear, wait_s)

    async def go(self, at_ns: int) -> float:
        """Begin a phase at this instant of the driver's clock; gives by how many nanoseconds that
        may be wrong. A clock drifts: it is compared each time. Raises LoadError as above.
        """
        offset = await self.measure_offset()
        return self._generator.go(offset.here(at_ns)) + offset.bound_ns

    async def enough(self) -> None:
        """End the current phase."""
        self._generator.enough()

    async def ended(self) -> tuple[int, str]:
        """Wait for its end: its exit code and what it wrote to stderr."""
        return await asyncio.to_thread(self._begun.ended)

    async def watched(self) -> HostWatched:
        """What this host saw of itself while it made the load, which has ended."""
        assert self._watcher is not None, "begin comes first"
        return await asyncio.to_thread(self._watcher.stop)

    async def end(self) -> None:
        """Stop it, if one runs."""
        if self._running is not None:
            await asyncio.to_thread(self._running.end)
            self._running = None
        if self._watcher is not None:
            await asyncio.to_thread(self._watcher.stop)
            self._watcher = None

    async def leave(self) -> None:
        """End, and leave nothing behind."""
        self._lease.give_back()
        await self.end()
        self._clear()

    @property
    def _begun(self) -> Program:
        assert self._running is not None, "begin comes first"
        return self._running

    @property
    def _generator(self) -> Generator:
        assert isinstance(self._running, Generator), "begin comes first"
        return self._running

    def _abandon(self) -> None:
        """What nobody needs any more ends at once."""
        if self._running is not None:
            self._running.kill()
        if self._watcher is not None:
            self._watcher.stop()
        self._clear()

    def _clear(self) -> None:
        self._held.close()
        shutil.rmtree(self.folder, ignore_errors=True)
