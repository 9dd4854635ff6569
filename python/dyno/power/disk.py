"""A disk for a test: an image with a file system, whose power can be pulled and comes back."""

from __future__ import annotations

import os
import random
import secrets
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from dyno.errors import PowerError
from dyno.power.cache import Cache
from dyno.power.loops import attached, wait_until_free
from dyno.power.namespace import mount, unmount
from dyno.power.pull import Mounted, pull

# 1: the page cache is lost. 2: so is what lies in the disk's own volatile cache, which is played by
# the page cache below a second image.
Tier = Literal[1, 2]
# Blocks as large as pages, which small images don't get by themselves.
_MKFS = ("-q", "-F", "-b", "4096", "-E", "lazy_itable_init=0,lazy_journal_init=0")
_PATHS = "/sbin:/usr/sbin:/bin:/usr/bin"
# For the file system around the inner disk.
_AROUND_BYTES = 256 * 1024 * 1024


@dataclass
class Disk:
    """`folder` must be ours and empty; `data` is the mounted file system. Of tier 2: if it `lies`,
    it confirms flushes that it doesn't do; `torn_bytes`: of its cache a random half, in units of
    that size, reaches the disk when the power goes, by `seed`.
    """

    folder: Path
    tier: Tier = 1
    size_bytes: int = 1536 * 1024 * 1024
    lies: bool = False
    torn_bytes: int | None = None
    seed: int = 0
    _cache: Cache | None = field(default=None, repr=False)
    _token: str = field(default_factory=lambda: secrets.token_hex(16), repr=False)
    # By mount point: the loop device, and device and inode of its image.
    _devices: dict[Path, tuple[Path, tuple[int, int]]] = field(default_factory=dict, repr=False)

    @property
    def data(self) -> Path:
        """Where the file system for the server is mounted."""
        return self.folder / "data"

    @property
    def outer(self) -> Path:
        """Where the file system is mounted whose power is pulled; tier 1 has one for both."""
        return self.data if self.tier == 1 else self.folder / "outer"

    @property
    def image(self) -> Path:
        """The file of the outer file system."""
        return self.folder / "disk.img"

    @property
    def inner_image(self) -> Path:
        """The file of the inner file system, in the outer one."""
        return self.outer / "inner.img"

    def make(self) -> None:
        """Make the images and mount them. Raises PowerError."""
        for point in {self.data, self.outer}:
            point.mkdir()
        size_bytes = self.size_bytes + (_AROUND_BYTES if self.tier == 2 else 0)
        _make_image(self.image, size_bytes)
        self._mount(self.image, self.outer)
        self._mounted.mark()
        if self.tier == 2:
            # All of it is written: a write to the inner disk then changes no metadata of the outer.
            _write_whole(self.inner_image, self.size_bytes)
            _make_image(self.inner_image, None)
            self._mount_inner()
        sync(self.outer)

    def pull(self) -> float:
        """Pull the power; gives the time of the monotonic clock right before."""
        at_s = pull(self._mounted)
        if self._cache is not None:
            self._cache.take()
        return at_s

    def restore(self) -> None:
        """After a pull, when nobody uses it any more: the power is back, and journals are replayed.
        Raises PowerError; a file system that can't be mounted is a result of its own.
        """
        self.unmount()
        self._mount(self.image, self.outer)
        if self._cache is not None and self.torn_bytes is not None:
            drawn = random.Random(self.seed)
            self._cache.write_half(self.inner_image, drawn, self.torn_bytes)
        if self.tier == 2:
            self._mount_inner()

    def unmount(self) -> None:
        """Unmount what is mounted, and wait until its devices are gone."""
        if self._cache is not None:
            self._cache.close()
        for point in reversed(list(self._devices)):
            unmount(point)
            wait_until_free(*self._devices.pop(point))

    def remove(self) -> None:
        """Unmount it and delete its files."""
        self.unmount()
        shutil.rmtree(self.folder)

    @property
    def _mounted(self) -> Mounted:
        return Mounted(self.outer, self.image, self._token)

    def _mount_inner(self) -> None:
        if self.torn_bytes is not None:
            self._cache = Cache(self.inner_image)
        self._mount(self.inner_image, self.data, options="nobarrier" if self.lies else "")

    def _mount(self, image: Path, point: Path, *, options: str = "") -> None:
        with attached(image) as device:
            mount(device, point, options=options)
            made = image.stat()
            self._devices[point] = device, (made.st_dev, made.st_ino)


def sync(folder: Path) -> None:
    """Write out all of the file system of a folder."""
    subprocess.run(["sync", "-f", str(folder)], check=True, env={"PATH": _PATHS})


def _make_image(image: Path, size_bytes: int | None) -> None:
    """A file system in a file, which is made with that size unless it is there."""
    if size_bytes is not None:
        with image.open("xb") as file:
            file.truncate(size_bytes)
    done = subprocess.run(
        ["mkfs.ext4", *_MKFS, str(image)],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": _PATHS, "LC_ALL": "C"},
    )
    if done.returncode != 0:
        said = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
        raise PowerError(f"mkfs.ext4 can't make {image}: {said}", hint="is there enough space?")


def _write_whole(path: Path, size_bytes: int) -> None:
    block = bytes(4 * 1024 * 1024)
    with path.open("xb") as file:
        for _ in range(0, size_bytes, len(block)):
            file.write(block)
        file.flush()
        os.fsync(file.fileno())
