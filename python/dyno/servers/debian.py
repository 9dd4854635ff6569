"""Debian packages, unpacked into Dyno's own folder: never installed, no root, no system service.

apt verifies what it downloads against the signed lists; the sums of what was taken are recorded.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dyno.errors import ServerError
from dyno.home import Home
from dyno.servers.catalog import Entry, library_packages
from dyno.servers.fetch import Progress, run_client, sha256_of, verify
from dyno.servers.suites import HOST, Apt, libraries_of, update

# Where a server has the libraries that the host lacks.
LIBRARIES = "dyno-libs"
# Beside a suite's packages: their sums, written when all of them are there.
_SUMS = "packages.json"


def _download(packages: Sequence[str], folder: Path, home: Home, what: str, apt: Apt) -> None:
    """Bring packages into `folder`, all or none of them."""
    with tempfile.TemporaryDirectory(prefix=".fetch.", dir=home.packages) as temporary:
        run_client(apt.get("download", *packages), cwd=Path(temporary), what=what)
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
        extra = list(HOST.offered(entry.optional))
        progress(f"fetching {' '.join(needed)} and {len(extra)} plugin packages")
        _download([*needed, *extra], folder, home, entry.name, HOST)
    debs = sorted(folder.glob("*.deb"))
    progress("unpacking")
    unpack_all(debs, target)
    return debs


def fetch_suite(entry: Entry, home: Home, *, progress: Progress) -> tuple[list[Path], list[Path]]:
    """The .deb files of a server from a suite, and those of the libraries that it needs.

    From the cache if they are there, also after the suite has moved on; their sums are compared.
    """
    folder = home.packages / entry.name
    folder.mkdir(exist_ok=True)
    if _kept(folder) is None:
        apt = update(entry.suite, home, progress=progress)
        wanted = [*entry.package.split(), *apt.offered(entry.optional)]
        _fetch(wanted, libraries_of(wanted, apt, what=entry.name), folder, home, apt, progress)
    return _verified(folder)


def fetch_plugin(
    entry: Entry, package: str, version: str, there: Sequence[str], home: Home, progress: Progress
) -> tuple[list[Path], list[Path]]:
    """The same for a package of plugins in the server's own version; `there`: packages that the
    server has already. Raises ServerError where apt has another version.
    """
    folder = home.packages / f"{entry.name}-{package}"
    folder.mkdir(exist_ok=True)
    if _kept(folder) is None or not any(folder.glob(f"{package}_{version.replace(':', '%3a')}_*")):
        apt = update(entry.suite, home, progress=progress) if entry.suite else HOST
        offered = apt.offered([package]).get(package, "no such package")
        if offered != version:
            raise ServerError(
                f"{entry.name} is {version}, and apt now offers {package} as: {offered}",
                hint=f"remove it, then install what apt has now: dyno servers remove {entry.name}",
            )
        needed = libraries_of([package], apt, what=package)
        lacking = [name for name in needed if name not in there]
        _fetch([package], lacking, folder, home, apt, progress)
    return _verified(folder)


def _verified(folder: Path) -> tuple[list[Path], list[Path]]:
    """The packages of a folder, the libraries apart, with the sums that they had when fetched."""
    kept = _kept(folder)
    assert kept is not None, "they have just been fetched"
    ours: list[Path] = []
    theirs: list[Path] = []
    for name, digest in kept["sums"].items():
        verify(folder / name, digest)
        is_library = name.partition("_")[0] in kept["libraries"]
        (theirs if is_library else ours).append(folder / name)
    return ours, theirs


def _kept(folder: Path) -> dict[str, Any] | None:
    """What the cache has of a suite's server; None unless all of it is there."""
    try:
        kept: dict[str, Any] = json.loads((folder / _SUMS).read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    return kept if all((folder / name).is_file() for name in kept["sums"]) else None


def _fetch(
    wanted: Sequence[str],
    libraries: Sequence[str],
    folder: Path,
    home: Home,
    apt: Apt,
    progress: Progress,
) -> None:
    """Bring packages and their libraries into a folder, with their sums."""
    for stale in folder.glob("*.deb"):
        stale.unlink()
    progress(f"fetching {' '.join(wanted)} and {len(libraries)} packages of libraries")
    _download([*wanted, *libraries], folder, home, folder.name, apt)
    sums = {deb.name: sha256_of(deb) for deb in sorted(folder.glob("*.deb"))}
    kept = {"libraries": list(libraries), "sums": sums}
    (folder / _SUMS).write_text(json.dumps(kept, indent=1))


def unpack_all(debs: Sequence[Path], target: Path) -> None:
    """Unpack packages into a folder, one over the other."""
    for deb in debs:
        _unpack(deb, target)


def copy_library(soname: str, unpacked: Path, target: Path) -> bool:
    """Copy one library out of a folder of unpacked packages; whether it is there."""
    found = next(iter(sorted(unpacked.rglob(soname))), None)
    if found is None:
        return False
    target.mkdir(exist_ok=True)
    shutil.copyfile(found.resolve(), target / soname)
    return True


def add_library(soname: str, home: Home, target: Path, *, needed_by: str) -> list[Path]:
    """Bring a missing shared library into the folder `target` from a Debian package.

    Gives the packages taken. Raises ServerError naming the library where that isn't possible.
    """
    names = library_packages(soname)
    folder = home.packages / "libraries"
    folder.mkdir(exist_ok=True)
    debs = [deb for name in names for deb in sorted(folder.glob(f"{name}_*.deb"))]
    name = None if debs else next(iter(HOST.offered(names)), None)
    if name is not None:
        _download([name], folder, home, f"{soname} (for {needed_by})", HOST)
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
