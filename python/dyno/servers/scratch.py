"""Folders that belong to the server's user and outlive no Dyno for long: in memory for a server's
temporary files (tmpdir on tmpfs), on disk for data folders. Not for sockets.
"""

from __future__ import annotations

from pathlib import Path

from dyno.errors import ServerError
from dyno.servers.home import Home, find_home, server_user
from dyno.servers.private import make_owned_dir

MEMORY = Path("/dev/shm")


def make_memory_dir() -> Path:
    """Make a folder on tmpfs that belongs to the server's user; yours to remove.

    Folders that a killed Dyno left there are removed first.
    """
    if not MEMORY.is_dir():
        raise ServerError(
            f"{MEMORY} doesn't exist, so there is no folder in memory for temporary files",
            hint='leave out the arms with tmpdir = "memory"',
        )
    return make_owned_dir(MEMORY, server_user())


def make_work_dir(home: Home | None = None) -> Path:
    """Make a folder for data folders in Dyno's own; yours to remove.

    Folders that a killed Dyno left there are removed first.
    """
    return make_owned_dir((home or find_home()).work, server_user())
