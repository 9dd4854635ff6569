"""One run at a time: two on one host would measure each other, and two in one home would remove
each other's data folders.

The host's lock is a socket name that the kernel gives to one process and takes back when that
process ends, however it ends. It leaves no file behind, and no other user's file can block it.
Hosts and containers with their own network have their own names; they can only share a home, whose
work folder therefore has a lock as well.
"""

from __future__ import annotations

import fcntl
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager

from dyno.errors import RunFailedError
from dyno.home import Home

# Abstract: it begins with a zero byte and isn't in any folder.
NAME = "\0dyno-measuring"
_PEER = struct.Struct("3i")
_PATIENCE_S = 5.0


@contextmanager
def measuring_alone(home: Home) -> Iterator[None]:
    """Hold both locks. Raises RunFailedError while another run has one."""
    with socket.socket(socket.AF_UNIX) as taken, (home.work / "measuring.lock").open("a") as file:
        try:
            taken.bind(NAME)
            taken.listen()
        except OSError:
            raise _refusal(_holder()) from None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _refusal(f", in {home.root}") from None
        yield


def _refusal(whose: str) -> RunFailedError:
    return RunFailedError(
        f"another dyno run is measuring on this host{whose}",
        hint="wait for it to end: two at once would measure each other",
    )


def _holder() -> str:
    """Who holds the lock, if that can be found out."""
    with socket.socket(socket.AF_UNIX) as asking:
        asking.settimeout(_PATIENCE_S)
        try:
            asking.connect(NAME)
            found = asking.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
        except OSError:
            return ""
    pid, uid, _ = _PEER.unpack(found)
    return f": process {pid} of user {uid}"
