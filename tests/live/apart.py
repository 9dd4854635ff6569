"""Hosts of their own on one host, since `dyno run` measures alone on a host and in a home: it knows
the host by the network.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import struct
from pathlib import Path

from dyno.home import find_home
from dyno.servers import catalog, install

_NEW_NETWORK = 0x40000000  # CLONE_NEWNET
_SET_FLAGS = 0x8914  # SIOCSIFFLAGS
_UP = 0x1  # IFF_UP


def enter_new_network() -> None:
    """Give the thread that calls a network with a loopback alone: its sockets and the processes
    that it starts are in it. Raises OSError for all but root.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_NEW_NETWORK) != 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_one:
        fcntl.ioctl(any_one, _SET_FLAGS, struct.pack("16sH14x", b"lo", _UP))


def make_own_home(name: str) -> Path:
    """A home for this process and those that it starts. It shares servers and initialised data with
    the user's home, but no work and no lock of a run.
    """
    shared = find_home()
    # From a new network nothing could be fetched.
    for server in catalog():
        if server != "path":
            install(server)
    own = shared.root.with_name(f"{shared.root.name}-{name}")
    own.mkdir(exist_ok=True)
    for folder in (shared.packages, shared.servers, shared.data, shared.snapshots, shared.locks):
        link = own / folder.name
        if not link.is_symlink():
            link.symlink_to(folder)
    os.environ["DYNO_HOME"] = str(own)
    assert find_home().root == own
    return own
