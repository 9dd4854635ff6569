"""A network for one thread: `dyno run` measures alone on a host, which it knows by the network."""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import struct

_NEW_NETWORK = 0x40000000  # CLONE_NEWNET
_SET_FLAGS = 0x8914  # SIOCSIFFLAGS
_UP = 0x1  # IFF_UP


def leave_for_a_new_one() -> None:
    """Give the thread that calls a network with a loopback alone: its sockets and the processes
    that it starts are in it. Raises OSError for all but root.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_NEW_NETWORK) != 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_one:
        fcntl.ioctl(any_one, _SET_FLAGS, struct.pack("16sH14x", b"lo", _UP))
