"""Loop devices: a file as a disk. They vanish by themselves with the mount that uses them, also
when the process is killed.
"""

from __future__ import annotations

import fcntl
import os
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path

from dyno.errors import PowerError

_CONTROL = Path("/dev/loop-control")
_GET_FREE, _CONFIGURE, _STATUS = 0x4C82, 0x4C0A, 0x4C05
_AUTOCLEAR = 4
# struct loop_info64 of linux/loop.h.
_INFO = "=5Q4I64s64s32s2Q"
_TRIES = 20
GONE_S = 10.0


@contextmanager
def attached(image: Path) -> Iterator[Path]:
    """A loop device over a file, to be mounted inside the block; afterwards the mount alone keeps
    it. Raises PowerError.
    """
    with open(image, "r+b", buffering=0, opener=_no_link) as file:
        # Somebody else may take a free device first, so several are tried.
        for _ in range(_TRIES):
            with _free_device() as device:
                if _takes(device, file):
                    yield Path(device.name)
                    return
    raise PowerError(
        "every free loop device was taken by another program first",
        hint="losetup -a shows what uses them; try again when one is free",
    )


def _no_link(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW)


def _free_device() -> FileIO:
    try:
        with _CONTROL.open("r+b", buffering=0) as control:
            number = fcntl.ioctl(control, _GET_FREE)
        return Path(f"/dev/loop{number}").open("r+b", buffering=0)
    except OSError as error:
        raise PowerError(
            f"there is no loop device: {error.strerror}",
            hint="modprobe loop, or run on a host with them",
        ) from error


def _takes(device: FileIO, image: FileIO) -> bool:
    """Put the image behind the device; False if the device isn't free any more."""
    info = struct.pack(_INFO, *[0] * 8, _AUTOCLEAR, b"", b"", b"", 0, 0)
    # struct loop_config: the image, the default block size, info, and reserved bytes.
    config = struct.pack("=2I", image.fileno(), 0) + info + bytes(64)
    try:
        fcntl.ioctl(device, _CONFIGURE, config)
    except OSError:
        return False
    return True


def backing_of(number: int) -> tuple[int, int] | None:
    """Device and inode of the file behind a loop device; None if there is none."""
    buffer = bytearray(struct.calcsize(_INFO))
    try:
        with Path(f"/dev/loop{number}").open("rb", buffering=0) as device:
            fcntl.ioctl(device, _STATUS, buffer)
    except OSError:
        return None
    found = struct.unpack(_INFO, buffer)
    return found[0], found[1]


def wait_until_free(device: Path, image: tuple[int, int]) -> None:
    """Wait for the device to let go of the image, of which device and inode are given. Raises
    PowerError if it doesn't: another mount namespace has a copy of the mount, and would go on with
    a file system that was shut down.
    """
    number = int(device.name.removeprefix("loop"))
    deadline = time.monotonic() + GONE_S
    while backing_of(number) == image:
        if time.monotonic() > deadline:
            raise PowerError(
                f"{device} still has its image, though it was unmounted",
                hint="a process started during the test still holds the mount: end it",
            )
        time.sleep(0.05)
