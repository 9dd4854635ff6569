"""Folders for a server's user: one that is ours, and inside it one that is theirs.

Whoever may write in a folder can put links there. So root writes only into the outer one, before
and after the server's user has the inner one, and what else lies in the temporary directory is
never opened. Folders that a killed Dyno left are removed.
"""

from __future__ import annotations

import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from dyno.errors import ServerError
from dyno.home import User, remove_tree, start_ticks

_PREFIX = "dyno-"
_OWNER_FILE = "owner"
_OWNER_BYTES = 200
# Everybody may walk through who knows where to, and nobody may look around or write.
_WALK_THROUGH = 0o711
# The kernel's sun_path holds 108 bytes, one of them the closing zero.
_SOCKET_BYTES_MAX = 107


@dataclass(frozen=True)
class PrivateDir:
    """A folder of ours, `path`, and in it `inner`, which belongs to the server's user (0700)."""

    path: Path
    inner: Path

    @property
    def socket(self) -> Path:
        """Where a server's socket lies."""
        return self.inner / "mysqld.sock"

    @property
    def data(self) -> Path:
        """Where a data folder lies, which is then the server user's own."""
        return self.path / "data"

    def hand_over(self, file: Path, user: User | None) -> Path:
        """A copy that only the server's user can read, and nobody can write. Raises ServerError."""
        copy = self.path / file.name
        try:
            content = file.read_bytes()
            handle = os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o400)
            with os.fdopen(handle, "wb") as made:
                made.write(content)
                if user is not None:
                    os.fchown(handle, user.uid, user.gid)
        except OSError as error:
            raise ServerError(
                f"{file} can't be given to a server: {error.strerror}",
                hint="look at its permissions, and at the free space for temporary files",
            ) from error
        return copy

    def remove(self) -> None:
        """Remove it with all that is in it."""
        remove_tree(self.path)


def make_socket_dir(user: User | None) -> PrivateDir:
    """Make a folder for a socket, in $XDG_RUNTIME_DIR, $TMPDIR or /tmp.

    Raises ServerError if a socket can't be in it.
    """
    made = make_private_dir(_base(user), user)
    length = len(os.fsencode(made.socket))
    if length > _SOCKET_BYTES_MAX:
        made.remove()
        raise ServerError(
            f"the socket's path would take {length} bytes ({made.inner}/…), and the kernel allows "
            f"{_SOCKET_BYTES_MAX}",
            hint="set TMPDIR (and XDG_RUNTIME_DIR) to a folder with a shorter name, such as /tmp",
        )
    return made


def make_private_dir(base: Path, user: User | None) -> PrivateDir:
    """Make a folder in `base` that outlives no Dyno for long. Raises ServerError."""
    _require_trusted(base)
    clean_private_dirs(base)
    require_reachable(base, user)
    try:
        path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=base))
    except OSError as error:
        raise _no_room(base, error) from error
    try:
        return _filled(path, user)
    except OSError as error:
        remove_tree(path)
        raise _no_room(base, error) from error


def _filled(path: Path, user: User | None) -> PrivateDir:
    pid = os.getpid()
    text = f"{pid} {start_ticks(pid)} {_pid_namespace()}"
    (path / _OWNER_FILE).write_text(text, encoding="ascii")
    inner = path / "s"
    inner.mkdir(0o700)
    path.chmod(_WALK_THROUGH)
    if user is not None:
        os.chown(inner, user.uid, user.gid)
    return PrivateDir(path, inner)


def _no_room(base: Path, error: OSError) -> ServerError:
    return ServerError(
        f"no folder for a server can be made in {base}: {error.strerror}",
        hint="free some space there, or set TMPDIR to another folder",
    )


def clean_private_dirs(base: Path) -> None:
    """Remove the folders of ours whose Dyno is dead; those of unknown owners stay, and what belongs
    to anybody else isn't even opened.
    """
    with os.scandir(base) as entries:
        found = [entry.name for entry in entries if entry.name.startswith(_PREFIX)]
    for name in found:
        try:
            dead = _is_dead(base / name)
        except (OSError, ValueError):
            continue
        if dead:
            remove_tree(base / name)


def _is_dead(folder: Path) -> bool:
    """Whether a folder of ours was left by a Dyno that is gone. Raises OSError, ValueError for what
    is none of ours.
    """
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if os.fstat(handle).st_uid != os.geteuid():
            raise ValueError("somebody else's")
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
        owner = os.open(_OWNER_FILE, flags, dir_fd=handle)
    finally:
        os.close(handle)
    with os.fdopen(owner, encoding="ascii") as file:
        status = os.fstat(owner)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
            raise ValueError("not written by us")
        pid, ticks, namespace = file.read(_OWNER_BYTES).split()
    return namespace == _pid_namespace() and start_ticks(int(pid)) != int(ticks)


def _pid_namespace() -> str:
    """Name the space in which pids count: containers may share /tmp, but not that."""
    return str(Path("/proc/self/ns/pid").readlink())


def _require_trusted(base: Path) -> None:
    """Raise ServerError where somebody else could take away what is made in `base`."""
    try:
        status = base.stat()
    except OSError as error:
        raise ServerError(
            f"{base}: {error.strerror}", hint="set TMPDIR to a folder that exists, such as /tmp"
        ) from None
    others = status.st_mode & 0o022 and not status.st_mode & stat.S_ISVTX
    if others or status.st_uid not in (0, os.geteuid()):
        raise ServerError(
            f"{base} isn't safe: users other than root and you can remove its contents",
            hint="set TMPDIR (or DYNO_HOME) to a folder of your own, or one like /tmp (mode 1777)",
        )


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
