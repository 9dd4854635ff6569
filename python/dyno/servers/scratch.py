"""A folder in memory for a server's temporary files (tmpdir on tmpfs). Not for sockets."""

from __future__ import annotations

from pathlib import Path

from dyno.errors import ServerError
from dyno.servers.home import server_user
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
