"""A server's private folder: its socket and option file, short of path and closed to other users.

It lies in $XDG_RUNTIME_DIR, or in $TMPDIR or /tmp. Folders that a killed Dyno left are removed.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from dyno.errors import ServerError
from dyno.servers.home import User, start_ticks

_PREFIX = "dyno-"
_OWNER_FILE = "owner"
# The kernel's sun_path holds 108 bytes, one of them the closing zero.
_SOCKET_BYTES_MAX = 107


def make_private_dir(user: User | None) -> Path:
    """Make the folder, 0700 and the server user's own; ServerError if a socket can't be in it."""
    folder = make_owned_dir(_base(user), user)
    length = len(os.fsencode(socket_path(folder)))
    if length > _SOCKET_BYTES_MAX:
        shutil.rmtree(folder)
        raise ServerError(
            f"the socket's path would take {length} bytes ({folder}/…), and the kernel allows "
            f"{_SOCKET_BYTES_MAX}",
            hint="set TMPDIR (and XDG_RUNTIME_DIR) to a folder with a shorter name, such as /tmp",
        )
    return folder


def make_owned_dir(base: Path, user: User | None) -> Path:
    """Make a folder in `base`, 0700 and the server user's own, that outlives no Dyno for long."""
    clean_private_dirs(base)
    require_reachable(base, user)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=base))
    pid = os.getpid()
    text = f"{pid} {start_ticks(pid)} {_pid_namespace()}"
    (folder / _OWNER_FILE).write_text(text, encoding="ascii")
    if user is not None:
        os.chown(folder, user.uid, user.gid)
    return folder


def socket_path(folder: Path) -> Path:
    """Give where the socket lies in a private folder."""
    return folder / "mysqld.sock"


def clean_private_dirs(base: Path) -> None:
    """Remove the private folders whose Dyno is dead; those of unknown owners stay."""
    for folder in base.glob(f"{_PREFIX}*"):
        try:
            pid, ticks, namespace = (folder / _OWNER_FILE).read_text("ascii").split()
            dead = namespace == _pid_namespace() and start_ticks(int(pid)) != int(ticks)
        except (OSError, ValueError):
            continue
        if dead:
            shutil.rmtree(folder, ignore_errors=True)


def _pid_namespace() -> str:
    """Name the space in which pids count: containers may share /tmp, but not that."""
    return str(Path("/proc/self/ns/pid").readlink())


def require_reachable(path: Path, user: User | None) -> None:
    """Raise ServerError where the server's user can't walk down to `path`."""
    if user is None:
        return
    for folder in reversed([path, *path.absolute().parents]):
        if not allows(folder, user, 0o1):
            raise ServerError(
                f"the server runs as {user.name!r}, who can't enter {folder}",
                hint="set DYNO_HOME (or TMPDIR) to a folder that everyone can enter, "
                "or DYNO_USER to a user who can",
            )


def allows(path: Path, user: User, bits: int) -> bool:
    """Tell whether a user has all permissions in `bits` (4 read, 2 write, 1 enter) on a path."""
    status = path.stat()
    if status.st_uid == user.uid:
        bits <<= 6
    elif status.st_gid == user.gid:
        bits <<= 3
    return status.st_mode & bits == bits


def _base(user: User | None) -> Path:
    """Choose where private folders lie; root's runtime folder is closed to the server's user."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if user is None and runtime and os.access(runtime, os.W_OK):
        return Path(runtime)
    return Path(os.environ.get("TMPDIR") or "/tmp")
