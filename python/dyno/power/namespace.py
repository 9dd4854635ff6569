"""A mount namespace of our own: nobody else sees our mounts, and all vanish with the process."""

from __future__ import annotations

import ctypes
import os
import threading
import time
from pathlib import Path

from dyno.errors import PowerError

_NEW_MOUNTS = 0x00020000
_PRIVATE, _RECURSIVE = 1 << 18, 1 << 14
_NODEV, _NOSUID = 4, 2
_BUSY_S = 10.0
_libc = ctypes.CDLL(None, use_errno=True)


def enter_private_mounts() -> None:
    """Before anything else is started: a thread that runs already would stay outside. Raises
    PowerError without the rights.
    """
    if threading.active_count() > 1:
        raise AssertionError("threads run already")
    _call(_libc.unshare(_NEW_MOUNTS), "a mount namespace can't be made")
    flags = ctypes.c_ulong(_PRIVATE | _RECURSIVE)
    _call(_libc.mount(b"none", b"/", None, flags, None), "mounts can't be made private")


def mount(device: Path, point: Path, *, options: str = "") -> None:
    """Mount an ext4 file system. Raises PowerError."""
    flags = ctypes.c_ulong(_NODEV | _NOSUID)
    done = _libc.mount(
        os.fsencode(device), os.fsencode(point), b"ext4", flags, options.encode() or None
    )
    _call(done, f"{device} can't be mounted at {point}")


def unmount(point: Path) -> None:
    """Unmount it, as soon as nobody uses it: asynchronous writes end late. Raises PowerError."""
    deadline = time.monotonic() + _BUSY_S
    while _libc.umount2(os.fsencode(point), 0) != 0:
        if time.monotonic() > deadline:
            _call(-1, f"{point} can't be unmounted")
        time.sleep(0.05)


def _call(result: int, what: str) -> None:
    if result != 0:
        error = os.strerror(ctypes.get_errno())
        raise PowerError(f"{what}: {error}", hint="power cuts need root on the host itself")
