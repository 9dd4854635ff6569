"""Where a server's data lie during a crash, by kind of crash, and what the crash does to them."""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from dyno.errors import PowerError, ServerError
from dyno.home import remove_tree
from dyno.power import Disk, self_test
from dyno.power.cache import BLOCK_BYTES, SECTOR_BYTES
from dyno.power.disk import sync
from dyno.spec.durability import CrashKind
from dyno.spec.units import format_bytes
from dyno.store.crash import Rig

_MB = 1024 * 1024
SELF_TEST_BYTES = 64 * _MB
_TORN_BYTES: dict[CrashKind, int] = {"torn": BLOCK_BYTES, "sectors": SECTOR_BYTES}
# Whoever calls sync(2) on this host meanwhile saves what a pull would lose.
_TRIES = 3
# Servers let their files grow by several MB at once, and recovery takes some more.
_LEAST_BYTES = 16 * _MB


class Site(Protocol):
    """A place for one crash."""

    @property
    def data(self) -> Path:
        """The data folder; absent until somebody fills it."""

    def settle(self) -> None:
        """Write out all that is there, so that only the load can be lost."""

    def cut(self) -> float:
        """Take away what this kind of crash takes, and give the time of the monotonic clock right
        before: what is acknowledged later doesn't count. Infinity if all counts.
        """

    def restore(self) -> None:
        """Bring back what is left, when no process uses it. Raises PowerError if nothing is."""

    def full(self) -> ServerError | None:
        """What to raise if the data have no room left to grow, also after the cut: what is lost or
        broken then says nothing about the server.
        """


@dataclass(frozen=True)
class Folder:
    """For `kill`: the kernel keeps what the server has written."""

    path: Path

    @property
    def data(self) -> Path:
        """Inside the place."""
        return self.path / "data"

    def settle(self) -> None:
        """Nothing here is lost."""

    def cut(self) -> float:
        """Nothing."""
        return math.inf

    def restore(self) -> None:
        """It never went away."""

    def full(self) -> ServerError | None:
        """The host's own disk."""
        return _host_full(self.path)


@dataclass(frozen=True)
class Powered:
    """A disk whose power is cut."""

    disk: Disk

    @property
    def data(self) -> Path:
        """A folder of the disk's file system."""
        return self.disk.data / "data"

    def settle(self) -> None:
        """Write out the disk's file systems."""
        for point in dict.fromkeys((self.disk.data, self.disk.outer)):
            sync(point)

    def cut(self) -> float:
        """Pull the power."""
        return self.disk.pull()

    def restore(self) -> None:
        """Mount it again."""
        self.disk.restore()

    def full(self) -> ServerError | None:
        """The image, or the disk around it: an image takes room only as it is written to."""
        hint = "make the load shorter (warmup, within), or use fewer connections"
        return _full(self.disk.data, "the image", hint) or _host_full(self.disk.folder)


def _host_full(folder: Path) -> ServerError | None:
    return _full(folder, f"the disk of {folder}", "free some space there")


def _full(folder: Path, name: str, hint: str) -> ServerError | None:
    usage = shutil.disk_usage(folder)
    if usage.free >= _LEAST_BYTES:
        return None
    free, total = format_bytes(usage.free), format_bytes(usage.total)
    return ServerError(f"{name} was full: {free} of {total} were free", hint=hint)


@contextmanager
def site_for(kind: CrashKind, folder: Path, *, size_bytes: int, seed: int) -> Iterator[Site]:
    """A place in `folder`, which is made for it and removed. Raises PowerError."""
    folder.mkdir()
    disk = None if kind == "kill" else disk_for(kind, folder, size_bytes, seed)
    try:
        if disk is None:
            yield Folder(folder)
        else:
            disk.make()
            yield Powered(disk)
    finally:
        if disk is not None:
            disk.unmount()
        remove_tree(folder)


def disk_for(kind: CrashKind, folder: Path, size_bytes: int, seed: int = 0) -> Disk:
    """The disk of a kind of crash."""
    return Disk(
        folder,
        tier=1 if kind == "power" else 2,
        size_bytes=size_bytes,
        lies=kind == "liar",
        torn_bytes=_TORN_BYTES.get(kind),
        seed=seed,
    )


def test_rig(kind: CrashKind, folder: Path) -> Rig:
    """Whether a kind of crash loses what it must, and keeps what it must. Raises PowerError."""
    if kind == "kill":
        return Rig()
    for number in range(_TRIES):
        place = folder / f"self-test-{number}"
        place.mkdir()
        disk = disk_for(kind, place, SELF_TEST_BYTES)
        try:
            disk.make()
            found = self_test(disk)
        except PowerError as error:
            return Rig(problem=error.message)
        finally:
            disk.unmount()
            remove_tree(place)
        if found.ok:
            break
    return Rig(survived=found.survived, problem=found.problem)
