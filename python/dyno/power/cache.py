"""The volatile cache of a disk that is an image: what it held when the power went, and a half of it
that is written after all, in blocks or in sectors.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import random
from pathlib import Path

from dyno.errors import PowerError

BLOCK_BYTES = 4096
SECTOR_BYTES = 512
_libc = ctypes.CDLL(None, use_errno=True)


class Cache:
    """The page cache over an image, held in memory: nothing of it can be read again once its file
    system was shut down.
    """

    def __init__(self, image: Path) -> None:
        with image.open("r+b", buffering=0) as file:
            self._map = mmap.mmap(file.fileno(), 0)
        address = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        if _libc.mlock(ctypes.c_void_p(address), ctypes.c_size_t(len(self._map))) != 0:
            error = os.strerror(ctypes.get_errno())
            self.close()
            raise PowerError(
                f"{image} can't be held in memory: {error}",
                hint="leave out the crashes of kind torn, or raise the limit on locked memory",
            )
        self._held = b""

    def take(self) -> None:
        """Keep what it holds now."""
        self._held = self._map[:]

    def close(self) -> None:
        """Let go of the file."""
        self._map.close()

    def write_half(self, image: Path, drawn: random.Random, unit_bytes: int) -> int:
        """Write a random half of the units of that size in which the image differs from what was
        held; gives how many.
        """
        written = 0
        with image.open("r+b", buffering=0) as file:
            for at in range(0, len(self._held), BLOCK_BYTES):
                held = self._held[at : at + BLOCK_BYTES]
                there = os.pread(file.fileno(), BLOCK_BYTES, at)
                if there == held:
                    continue
                for begin in range(0, BLOCK_BYTES, unit_bytes):
                    unit = held[begin : begin + unit_bytes]
                    differs = unit != there[begin : begin + unit_bytes]
                    if differs and drawn.random() < 0.5:
                        os.pwrite(file.fileno(), unit, at + begin)
                        written += 1
            os.fsync(file.fileno())
        self._held = b""
        return written
