"""Dyno's own folder on this machine, its locks, and the user that servers run as.

Not the run folder: nothing here belongs to an experiment; all can be fetched or made again.
"""

from __future__ import annotations

import fcntl
import os
import pwd
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from dyno.errors import ServerError


@dataclass(frozen=True)
class Home:
    """Where packages, unpacked servers, initialised data folders and snapshots live."""

    root: Path

    @property
    def packages(self) -> Path:
        """Fetched packages, as fetched: a second install needs no network."""
        return self.root / "packages"

    @property
    def servers(self) -> Path:
        """One folder an installed server, named as in the catalog."""
        return self.root / "servers"

    @property
    def data(self) -> Path:
        """Initialised, empty data folders, one per server and settings that matter at init."""
        return self.root / "data"

    @property
    def snapshots(self) -> Path:
        """Saved data folders, one per key."""
        return self.root / "snapshots"

    @property
    def running(self) -> Path:
        """One small file a server started by `dyno servers start`."""
        return self.root / "running"

    @property
    def work(self) -> Path:
        """Data folders in use; safe to delete when no server runs."""
        return self.root / "work"

    @property
    def locks(self) -> Path:
        """Lock files: two Dynos at once wait for each other here."""
        return self.root / "locks"


@dataclass(frozen=True)
class User:
    """An account that child processes run as."""

    name: str
    uid: int
    gid: int


def find_home(environ: Mapping[str, str] | None = None) -> Home:
    """Give Dyno's folder, made if it is missing.

    `$DYNO_HOME`; else /var/lib/dyno for root, whose servers run unprivileged and must reach it;
    else `$XDG_DATA_HOME/dyno` or ~/.local/share/dyno.
    """
    env = os.environ if environ is None else environ
    if env.get("DYNO_HOME"):
        root = Path(env["DYNO_HOME"])
    elif os.geteuid() == 0:
        root = Path("/var/lib/dyno")
    elif env.get("XDG_DATA_HOME"):
        root = Path(env["XDG_DATA_HOME"]) / "dyno"
    else:
        root = Path("~/.local/share/dyno").expanduser()
    home = Home(root.absolute())
    try:
        for folder in (home.packages, home.servers, home.data, home.snapshots, home.running):
            folder.mkdir(parents=True, exist_ok=True)
        home.work.mkdir(exist_ok=True)
        home.locks.mkdir(exist_ok=True)
        # What the server's user owns in there is for copying only, and we do that.
        for folder in (home.data, home.snapshots):
            folder.chmod(0o700)
    except OSError as error:
        raise ServerError(
            f"can't make Dyno's folder {home.root}: {error.strerror}",
            hint="set DYNO_HOME to a folder that you can write to",
        ) from error
    return home


def server_user(environ: Mapping[str, str] | None = None) -> User | None:
    """Give the unprivileged user that servers run as, or None when Dyno isn't root itself.

    `$DYNO_USER`, else `nobody`. Root is refused.
    """
    env = os.environ if environ is None else environ
    if os.geteuid() != 0:
        return None
    name = env.get("DYNO_USER") or "nobody"
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        raise ServerError(
            f"there is no user {name!r} to run servers as",
            hint="set DYNO_USER to an existing unprivileged user",
        ) from None
    if entry.pw_uid == 0:
        raise ServerError(
            f"servers never run as root, and DYNO_USER is {name!r}",
            hint="set DYNO_USER to an unprivileged user, or unset it",
        )
    return User(name, entry.pw_uid, entry.pw_gid)


def own(path: Path, user: User | None) -> None:
    """Give a whole folder to the server's user; nothing to do without one.

    What is in it may be theirs already, and change meanwhile: nothing outside of it is touched.
    """
    if user is None:
        return
    # From the inside out: a folder that is still ours has nobody else in it.
    for _, names, files, handle in os.fwalk(path, topdown=False):
        for name in (*names, *files):
            os.chown(name, user.uid, user.gid, dir_fd=handle, follow_symlinks=False)
    os.chown(path, user.uid, user.gid, follow_symlinks=False)


def give_empty(path: Path, user: User | None) -> None:
    """Make an empty folder for the server's user (0700), in place of what is there. Its parent is
    ours alone.
    """
    remove_tree(path)
    path.mkdir(0o700)
    own(path, user)


def remove_tree(path: Path) -> None:
    """Remove a folder, whoever owns it, as far as possible. It is closed to all other users first:
    they could go on filling it.
    """
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            os.fchown(handle, os.geteuid(), os.getegid())
            os.fchmod(handle, 0o700)
        finally:
            os.close(handle)
    shutil.rmtree(path, ignore_errors=True)


@contextmanager
def locked(home: Home, name: str) -> Iterator[None]:
    """Hold one of Dyno's locks; another Dyno (or thread) waits. Freed by the kernel on a crash."""
    with (home.locks / f"{name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """Give a new folder beside `target` that becomes it on success and vanishes on failure.

    The caller holds a lock for `target`, so what a killed Dyno left beside it can go.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    for stale in target.parent.glob(f".{target.name}.????????"):
        shutil.rmtree(stale)
    temporary = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    temporary.chmod(0o755)
    try:
        yield temporary
        if target.exists():
            shutil.rmtree(target)
        temporary.rename(target)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def start_ticks(pid: int) -> int | None:
    """Give when a process started, in clock ticks since boot; None if it is dead (or a zombie).

    With the pid it names one process for good: pids are used again, and times of day are adjusted.
    proc(5), /proc/pid/stat, fields 3 and 22.
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8", errors="replace").rpartition(")")[2]
    except (FileNotFoundError, ProcessLookupError):
        return None
    state, *rest = fields.split()
    return None if state in "ZX" else int(rest[18])


def stop_process(pid: int, *, timeout_s: float) -> bool:
    """End a process by SIGTERM, or by SIGKILL after this long; whether the first was enough."""
    try:
        process = psutil.Process(pid)
        process.terminate()
        process.wait(timeout_s)
    except psutil.TimeoutExpired:
        process.kill()
        process.wait(timeout_s)
        return False
    except psutil.NoSuchProcess:
        pass
    return True


def size_bytes(path: Path) -> int:
    """Give the disk space that a file or folder takes, in bytes (blocks, not lengths)."""
    total = path.lstat().st_blocks * 512
    if path.is_dir() and not path.is_symlink():
        for folder, names, files in os.walk(path):
            for name in (*names, *files):
                total += (Path(folder) / name).lstat().st_blocks * 512
    return total
