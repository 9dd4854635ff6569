"""Pulls the power under one file system. Small and apart from the rest: on a wrong descriptor the
call takes somebody's file system down at once.

What isn't proven to be ours is refused. It must be on a loop device whose backing file is the
image that we made, and the root of its file system must have our mark.
"""

from __future__ import annotations

import fcntl
import os
import struct
import time
from dataclasses import dataclass
from pathlib import Path

from dyno.errors import PowerError
from dyno.power.loops import backing_of

# FS_IOC_SHUTDOWN, known to ext4 and XFS. 2: nothing is flushed, not even the journal. Other values
# flush, which is what a power cut doesn't do.
_SHUTDOWN = 0x8004587D
_NO_LOG_FLUSH = 2
_LOOP_MAJOR = 7
MARK = ".dyno-power"


@dataclass(frozen=True)
class Mounted:
    """A file system of ours: its mount point, the image behind it, and the secret in its mark."""

    point: Path
    image: Path
    token: str

    def mark(self) -> None:
        """Make the mark by which it is known; a new file system has none."""
        path = self.point / MARK
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(self.token)
            file.flush()
            os.fsync(file.fileno())


def pull(mounted: Mounted) -> float:
    """From now on every write there fails, and what wasn't on the disk is lost. Returns the time of
    the monotonic clock right before. Raises PowerError for what isn't ours.
    """
    descriptor = os.open(mounted.point, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        refuse_foreign(descriptor, mounted)
        at_s = time.monotonic()
        fcntl.ioctl(descriptor, _SHUTDOWN, struct.pack("I", _NO_LOG_FLUSH))
        return at_s
    except OSError as error:
        raise PowerError(
            f"the power of {mounted.point} can't be pulled: {error.strerror}",
            hint="the kernel must be 4.11 or later, and the file system ext4",
        ) from error
    finally:
        os.close(descriptor)


def refuse_foreign(descriptor: int, mounted: Mounted) -> None:
    """Raise PowerError unless the descriptor is in the file system of our image, by its device, its
    backing file and its mark.
    """
    device = os.fstat(descriptor).st_dev
    if device == Path("/").stat().st_dev or os.major(device) != _LOOP_MAJOR:
        raise _foreign(mounted, "it isn't on a loop device")
    image = mounted.image.stat()
    if backing_of(os.minor(device)) != (image.st_dev, image.st_ino):
        raise _foreign(mounted, f"its device isn't of {mounted.image}")
    try:
        mark = os.open(MARK, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=descriptor)
    except OSError:
        raise _foreign(mounted, "it has no mark of ours") from None
    with os.fdopen(mark) as file:
        is_there = os.fstat(file.fileno()).st_dev == device
        if not is_there or file.read(len(mounted.token) + 1) != mounted.token:
            raise _foreign(mounted, "its mark isn't of this test")


def _foreign(mounted: Mounted, why: str) -> PowerError:
    return PowerError(
        f"{mounted.point} is not a file system of this test: {why}",
        hint="nothing was done to it; look at what is mounted there",
    )
