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
from pathlib import Path

from dyno.errors import PowerError

_CONTROL = Path("/dev/loop-control")
_GET_FREE, _CONFIGURE, _STATUS = 0x4C82, 0x4C0A, 0x4C05
_AUTOCLEAR = 4
# struct loop_info64 of linux/loop.h, and loop_config around it.
_INFO = "=5Q4I64s64s32s2Q"
_CONFIG = f"=2I{_INFO[1:]}8Q"
_TRIES = 20
GONE_S = 10.0


@contextmanager
def attached(image: Path) -> Iterator[Path]:
    """A loop device over a file, to be mounted inside the block; afterwards the mount alone keeps
    it. Raises PowerError.
    """
    with _open(image) as file, _free_device(file) as (device, _):
        yield device


@contextmanager
def _open(image: Path) -> Iterator[int]:
    descriptor = os.open(image, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def _free_device(file: int) -> Iterator[tuple[Path, int]]:
    """Somebody else may take a free device first, so several are tried."""
    info = struct.pack(_INFO, *[0] * 8, _AUTOCLEAR, b"", b"", b"", 0, 0)
    config = struct.pack("=2I", file, 0) + info + bytes(64)
    for _ in range(_TRIES):
        try:
            control = os.open(_CONTROL, os.O_RDWR | os.O_CLOEXEC)
        except OSError as error:
            raise _no_device(error) from error
        try:
            number = fcntl.ioctl(control, _GET_FREE)
        except OSError as error:
            raise _no_device(error) from error
        finally:
            os.close(control)
        path = Path(f"/dev/loop{number}")
        try:
            device = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        except OSError as error:
            raise _no_device(error) from error
        try:
            fcntl.ioctl(device, _CONFIGURE, config)
        except OSError:
            os.close(device)
            continue
        try:
            yield path, device
        finally:
            os.close(device)
        return
    raise PowerError("no loop device stays free", hint="losetup -a shows who has them")


def _no_device(error: OSError) -> PowerError:
    return PowerError(
        f"there is no loop device: {error.strerror}",
        hint="modprobe loop, or run on a host with them",
    )


def backing_of(number: int) -> tuple[int, int] | None:
    """Device and inode of the file behind a loop device; None if there is none."""
    try:
        device = os.open(f"/dev/loop{number}", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        buffer = bytearray(struct.calcsize(_INFO))
        fcntl.ioctl(device, _STATUS, buffer)
    except OSError:
        return None
    finally:
        os.close(device)
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
                hint="a process that was started meanwhile holds a copy of the mount",
            )
        time.sleep(0.05)
