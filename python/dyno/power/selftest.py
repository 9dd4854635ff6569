"""Whether a rig loses what it must and keeps what it must: before every series, in seconds."""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dyno.power.cache import BLOCK_BYTES
from dyno.power.disk import Disk, sync

WRITES = 200
# When a random half is written, fewer than this survive about once in 10^32 times.
_SOME = 20
# By tier and way of writing: whether all writes must survive, or none.
_KEPT = {
    1: {"fsync": True, "O_DSYNC": True, "O_DIRECT": True, "plain": False},
    2: {"fsync": True, "O_DSYNC": True, "O_DIRECT": False, "plain": False},
}


@dataclass(frozen=True)
class SelfTest:
    """How many of `WRITES` writes survived a pull, by way of writing. `problem`: why the rig can't
    be trusted; None if it can.
    """

    survived: dict[str, int]
    problem: str | None

    @property
    def ok(self) -> bool:
        """Whether a verdict may be given with this rig."""
        return self.problem is None


def self_test(disk: Disk) -> SelfTest:
    """Write in each way, pull the power, restore it, and look. Raises PowerError if the file system
    doesn't come back.
    """
    folder = disk.data / "self-test"
    folder.mkdir()
    for way in _WAYS:
        # Its blocks are there: a write that needs new ones would need the journal, too.
        (folder / way).write_bytes(bytes(WRITES * BLOCK_BYTES))
    sync(disk.data)
    for way, write in _WAYS.items():
        write(folder / way)
    disk.pull()
    disk.restore()
    unit_bytes = disk.torn_bytes or BLOCK_BYTES
    survived = {way: _survived(folder / way, unit_bytes) for way in _WAYS}
    return SelfTest(survived, _problem(survived, disk))


def _problem(survived: dict[str, int], disk: Disk) -> str | None:
    for way, is_kept in _KEPT[disk.tier].items():
        if disk.torn_bytes and way == "O_DIRECT":
            if not _SOME <= survived[way] <= WRITES - _SOME:
                return f"{survived[way]} of {WRITES} writes ({way}) survived, and about half must"
            continue
        must = WRITES if is_kept and not disk.lies else 0
        if survived[way] != must:
            return f"{survived[way]} of {WRITES} writes ({way}) survived, and {must} must"
    return None


def _survived(path: Path, unit_bytes: int) -> int:
    """How many writes are there; of those that are there in part, their units together."""
    try:
        data = path.read_bytes()
    except OSError:  # A disk that lies loses the file, too.
        return 0
    units = range(0, len(data), unit_bytes)
    kept = sum(data[at : at + unit_bytes] == _block(at // BLOCK_BYTES)[:unit_bytes] for at in units)
    return kept * unit_bytes // BLOCK_BYTES


def _block(number: int) -> bytes:
    return (number + 1).to_bytes(4, "big") * (BLOCK_BYTES // 4)


def _each(path: Path, flags: int, *, synced: bool = False) -> None:
    descriptor = os.open(path, os.O_WRONLY | flags)
    # O_DIRECT wants aligned memory, which a map has.
    with mmap.mmap(-1, BLOCK_BYTES) as memory:
        try:
            for number in range(WRITES):
                memory[:] = _block(number)
                os.pwrite(descriptor, memory, number * BLOCK_BYTES)
                if synced:
                    os.fsync(descriptor)
        finally:
            os.close(descriptor)


_WAYS: dict[str, Callable[[Path], None]] = {
    "fsync": lambda path: _each(path, 0, synced=True),
    "O_DSYNC": lambda path: _each(path, os.O_DSYNC),
    "O_DIRECT": lambda path: _each(path, os.O_DIRECT),
    "plain": lambda path: _each(path, 0),
}
