"""Folders that outlive no Dyno for long, beside those of sockets: in memory for temporary files of
a server (tmpdir on tmpfs), on disk for data folders.
"""

from __future__ import annotations

from pathlib import Path

from dyno.errors import ServerError
from dyno.home import Home, find_home, server_user
from dyno.servers.private import PrivateDir, make_private_dir

MEMORY = Path("/dev/shm")


def make_memory_dir() -> PrivateDir:
    """Make a folder on tmpfs whose inner one is for the server's files; yours to remove.

    Folders that a killed Dyno left there are removed first.
    """
    if not MEMORY.is_dir():
        raise ServerError(
            f"{MEMORY} doesn't exist, so there is no folder in memory for temporary files",
            hint='leave out the arms with tmpdir = "memory"',
        )
    return make_private_dir(MEMORY, server_user())


def make_work_dir(home: Home | None = None) -> PrivateDir:
    """Make a folder for data folders in Dyno's own; yours to remove.

    Folders that a killed Dyno left there are removed first.
    """
    return make_private_dir((home or find_home()).work, server_user())
