"""Debian packages, unpacked into Dyno's own folder: never installed, no root, no system service.

apt verifies what it downloads against the signed lists; the sums of what was taken are recorded.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from dyno.errors import ServerError
from dyno.servers.catalog import Entry, library_packages
from dyno.servers.fetch import Progress, run_client
from dyno.servers.home import Home


def offered(packages: Sequence[str]) -> list[str]:
    """Give those packages of which apt knows a version; none where there is no apt."""
    try:
        done = subprocess.run(
            ["apt-cache", "policy", *packages],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
    except FileNotFoundError:
        return []
    known = re.findall(r"^(\S+):\n.*\n  Candidate: (?!\(none\))", done.stdout, re.MULTILINE)
    return [name for name in packages if name in known]


def _download(packages: Sequence[str], folder: Path, home: Home, what: str) -> None:
    """Bring packages into `folder`, all or none of them."""
    with tempfile.TemporaryDirectory(prefix=".fetch.", dir=home.packages) as temporary:
        run_client(["apt-get", "-q", "download", *packages], cwd=Path(temporary), what=what)
        for deb in Path(temporary).glob("*.deb"):
            deb.rename(folder / deb.name)


def _unpack(deb: Path, target: Path) -> None:
    subprocess.run(["dpkg-deb", "-x", str(deb), str(target)], check=True, capture_output=True)


def fetch_and_unpack(entry: Entry, home: Home, target: Path, *, progress: Progress) -> list[Path]:
    """Unpack a server's packages into `target`; gives the .deb files, from the cache if there."""
    folder = home.packages / entry.name
    folder.mkdir(exist_ok=True)
    needed = entry.package.split()
    if not all(any(folder.glob(f"{name}_*.deb")) for name in needed):
        extra = offered(entry.optional)
        progress(f"fetching {' '.join(needed)} and {len(extra)} plugin packages")
        _download([*needed, *extra], folder, home, entry.name)
    debs = sorted(folder.glob("*.deb"))
    progress("unpacking")
    for deb in debs:
        _unpack(deb, target)
    return debs


def add_library(soname: str, home: Home, target: Path, *, needed_by: str) -> list[Path]:
    """Bring a missing shared library into the folder `target` from a Debian package.

    Gives the packages taken. Raises ServerError naming the library where that isn't possible.
    """
    names = library_packages(soname)
    folder = home.packages / "libraries"
    folder.mkdir(exist_ok=True)
    debs = [deb for name in names for deb in sorted(folder.glob(f"{name}_*.deb"))]
    name = next(iter(offered(names)), None) if names and not debs else None
    if name is not None:
        _download([name], folder, home, f"{soname} (for {needed_by})")
        debs = sorted(folder.glob(f"{name}_*.deb"))
    if not debs:
        raise ServerError(
            f"{needed_by} needs the shared library {soname}, which this machine doesn't have",
            hint=f"install the package that holds {soname}, or put the file into {target}",
        )
    with tempfile.TemporaryDirectory(prefix=".unpack.", dir=home.packages) as temporary:
        _unpack(debs[-1], Path(temporary))
        _copy_libraries(Path(temporary), target)
    # Debian renamed some libraries when time_t grew; on 64 bit machines they are the same inside.
    renamed = target / f"{soname}t64"
    if renamed.exists() and not (target / soname).exists():
        (target / soname).symlink_to(renamed.name)
    return debs[-1:]


def _copy_libraries(unpacked: Path, target: Path) -> None:
    """Flatten the libraries of an unpacked package into one folder; links stay links."""
    target.mkdir(exist_ok=True)
    for path in unpacked.rglob("*.so*"):
        link = target / path.name
        if link.exists() or link.is_symlink():
            continue
        if path.is_symlink():
            link.symlink_to(path.readlink().name)
        else:
            path.rename(link)
