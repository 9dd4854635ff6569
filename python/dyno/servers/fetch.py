"""Fetches packages through their ecosystems' ordinary clients into Dyno's cache; verifies them.

Not an installer: nothing is unpacked or executed here.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path

from dyno.errors import ServerError
from dyno.home import Home
from dyno.servers.catalog import Entry

Progress = Callable[[str], None]
_TIMEOUT_S = 1800


def sha256_of(path: Path) -> str:
    """Give the SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def run_client(argv: Sequence[str], *, cwd: Path, what: str) -> str:
    """Run a package client and give its stdout; its last words become the error otherwise."""
    if shutil.which(argv[0]) is None:
        raise ServerError(
            f"can't fetch {what}: {argv[0]!r} isn't installed",
            hint=f"install {argv[0]}, or install the server from a tarball "
            "(dyno servers install --tarball FILE --sha256 SUM)",
        )
    try:
        done = subprocess.run(
            list(argv), cwd=cwd, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise ServerError(
            f"can't fetch {what}: {argv[0]} took over {_TIMEOUT_S} s",
            hint="check the network, then try again; what is fetched stays in the cache",
        ) from None
    if done.returncode != 0:
        raise ServerError(
            f"can't fetch {what}: {argv[0]} says: {_complaint(done.stderr + done.stdout)}",
            hint=f"check the network and {argv[0]}'s set-up; once fetched, Dyno works offline",
        )
    return done.stdout


def _complaint(output: str) -> str:
    """Pick the first line that tells what went wrong."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    telling = [ln for ln in lines if ln.startswith(("[ERROR]", "npm error", "npm ERR", "E:"))]
    return (telling or lines or ["nothing"])[0][:300]


def _fetch_maven(entry: Entry, folder: Path) -> None:
    goal = ["mvn", "-q", "-B", "dependency:copy", f"-Dartifact={entry.package}:jar"]
    run_client([*goal, f"-DoutputDirectory={folder}"], cwd=folder, what=entry.name)


def _fetch_npm(entry: Entry, folder: Path) -> None:
    run_client(["npm", "pack", "--loglevel=error", entry.package], cwd=folder, what=entry.name)


def _fetch_tarball(entry: Entry, folder: Path) -> None:
    if "://" not in entry.package:
        source = Path(entry.package).expanduser()
        if not source.is_file():
            raise ServerError(f"there is no tarball {source}", hint="give a file or a URL")
        shutil.copyfile(source, folder / source.name)
        return
    target = folder / (entry.package.rsplit("/", 1)[-1].split("?")[0] or "tarball")
    try:
        with urllib.request.urlopen(entry.package, timeout=60) as reply, target.open("wb") as file:
            shutil.copyfileobj(reply, file)
    except (urllib.error.URLError, OSError, ValueError) as error:
        raise ServerError(
            f"can't fetch {entry.package}: {error}",
            hint="check the address and the network, or fetch it yourself and give the path",
        ) from error


_FETCHERS: dict[str, Callable[[Entry, Path], None]] = {
    "maven": _fetch_maven,
    "npm": _fetch_npm,
    "tarball": _fetch_tarball,
}


def fetch(entry: Entry, home: Home, *, progress: Progress) -> Path:
    """Give the package of an entry: from the cache, or fetched into it. Its checksum is verified.

    The caller holds the lock of this entry. A file with a wrong checksum is deleted.
    """
    folder = home.packages / entry.name
    folder.mkdir(exist_ok=True)
    kept = next((path for path in folder.iterdir() if path.is_file()), None)
    if kept is None:
        progress(f"fetching {entry.package}")
        with tempfile.TemporaryDirectory(prefix=".fetch.", dir=home.packages) as temporary:
            _FETCHERS[entry.source](entry, Path(temporary))
            fetched = [path for path in Path(temporary).iterdir() if path.is_file()]
            if len(fetched) != 1:
                raise ServerError(
                    f"{entry.source} gave {len(fetched)} files for {entry.package}, not 1",
                    hint="look at the package client's set-up, then try again",
                )
            kept = fetched[0].rename(folder / fetched[0].name)
    verify(kept, entry.sha256)
    return kept


def verify(path: Path, sha256: str | None) -> None:
    """Compare a file with its checksum; a file that differs is deleted and refused."""
    seen = sha256_of(path)
    if seen != sha256:
        path.unlink()
        raise ServerError(
            f"{path.name} has the wrong checksum: {seen}, expected {sha256}; the file is deleted",
            hint="try again; if it stays wrong, the package was changed: don't use it",
        )
