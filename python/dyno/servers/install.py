"""Installs servers: package to folder, parts found, missing libraries added. Atomic, and locked.

Does not initialise data folders or start anything but `mysqld --version`.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import shutil
import subprocess
import tempfile
import zipfile
from pathlib import Path

from dyno.errors import ServerError
from dyno.home import Home, find_home, locked, replacing
from dyno.servers import debian
from dyno.servers.catalog import ON_PATH, Entry, catalog, unknown_server
from dyno.servers.fetch import Progress, fetch, sha256_of
from dyno.servers.installation import Installation, load
from dyno.servers.layout import (
    Layout,
    find_layout,
    find_layout_of_binary,
    make_readable,
    read_version,
)
from dyno.servers.loader import add_loader, needs_later_libraries

# The libraries of another suite than the host's, as Debian lays them out.
_SUITE = "suite"
# Where servers lie, though people's PATH often leaves these folders out.
_SYSTEM_FOLDERS = "/usr/local/sbin:/usr/sbin:/sbin:/usr/libexec"


def _silent(_: str) -> None:
    """Progress that nobody watches."""


def install(name: str, *, home: Home | None = None, progress: Progress = _silent) -> Installation:
    """Give the server of a catalog name, fetched and unpacked first if it isn't installed yet.

    `name` is an entry of the catalog (`catalog()`), the name of an installed tarball, or `path`.
    Needs no network once the package is in the cache. Raises ServerError: unknown name (with the
    nearest one), package client missing or offline, wrong checksum, missing library.
    """
    home = home or find_home()
    installed = _find(name, home)
    if installed is not None:
        return installed
    entry = catalog().get(name)
    if entry is None:
        raise unknown_server(name, known_names(home))
    return _install_entry(entry, home, progress)


def install_tarball(
    source: str,
    *,
    sha256: str,
    name: str | None = None,
    home: Home | None = None,
    progress: Progress = _silent,
) -> Installation:
    """Unpack a binary tarball (path or URL) as a server called `name`.

    The default name is the file's, without its ending. A server of that name with the same checksum
    is given as it is; one with another checksum is refused.
    """
    home = home or find_home()
    name = name or re.sub(r"\.(tar(\.\w+)?|t[gx]z|zip|jar)$", "", source.rsplit("/", 1)[-1])
    sha256 = sha256.strip().lower()
    if not re.fullmatch(r"[0-9a-f]{64}", sha256):
        raise ServerError(
            f"{sha256!r} isn't a SHA-256 sum", hint="give its 64 hex digits: sha256sum FILE"
        )
    if not re.fullmatch(r"[A-Za-z0-9][\w.+-]*", name) or name in catalog():
        raise ServerError(
            f"a tarball can't be installed as {name!r}",
            hint=f"give another name: dyno servers install NAME --tarball {source} --sha256 SUM",
        )
    installed = _load(name, home)
    if installed is not None and installed.fingerprint != sha256:
        raise ServerError(
            f"{name} is installed already, from a file with the checksum {installed.fingerprint}",
            hint=f"choose another name, or first: dyno servers remove {name}",
        )
    if installed is not None:
        return installed
    entry = Entry(name, "any", None, "tarball", source, sha256)
    return _install_entry(entry, home, progress)


def find_installation(name: str, *, home: Home | None = None) -> Installation:
    """Give an installed server, or raise ServerError with the command that installs it."""
    home = home or find_home()
    installed = _find(name, home)
    if installed is None:
        if name not in catalog():
            raise unknown_server(name, known_names(home))
        raise ServerError(f"{name} isn't installed", hint=f"dyno servers install {name}")
    return installed


def refuse_unknown(name: str, *, home: Home | None = None) -> None:
    """Raise ServerError for a name that can't be installed and isn't."""
    home = home or find_home()
    known = known_names(home)
    if name not in [ON_PATH, *known]:
        raise unknown_server(name, known)


def known_names(home: Home) -> list[str]:
    """Give the names of the catalog, then those of installed tarballs, sorted; each once."""
    installed = sorted(path.parent.name for path in home.servers.glob("[!.]*/installation.json"))
    return list(dict.fromkeys([*catalog(), *installed]))


def _find(name: str, home: Home) -> Installation | None:
    return _on_path() if name == ON_PATH else _load(name, home)


def _load(name: str, home: Home) -> Installation | None:
    """Read an installation; a name with a slash or a dot in front never leaves the folder."""
    if "/" in name or name.startswith("."):
        return None
    return load(home.servers / name)


def _install_entry(entry: Entry, home: Home, progress: Progress) -> Installation:
    """Install under the lock of this name; another Dyno may have done it while we waited."""
    with locked(home, f"install-{entry.name}"):
        installed = _load(entry.name, home)
        if installed is not None:
            return installed
        target = home.servers / entry.name
        with replacing(target) as root:
            packages = _unpack_entry(entry, home, root, progress)
            make_readable(root)
            packages += _add_libraries(entry, home, root, progress)
            _describe(entry, root, packages).save()
        installed = _load(entry.name, home)
    if installed is None:
        raise AssertionError(f"{target} was written and can't be read")
    return installed


def _unpack_entry(entry: Entry, home: Home, root: Path, progress: Progress) -> list[Path]:
    if entry.suite:
        return _unpack_suite(entry, home, root, progress)
    if entry.source == "debian":
        return debian.fetch_and_unpack(entry, home, root, progress=progress)
    package = fetch(entry, home, progress=progress)
    progress(f"unpacking {package.name}")
    try:
        unpack(package, root, entry.keep)
    except (ServerError, zipfile.BadZipFile):
        package.unlink()
        raise
    return [package]


def _unpack_suite(entry: Entry, home: Home, root: Path, progress: Progress) -> list[Path]:
    """A server with the libraries of its suite: all of them and their loader where the host's are
    too old for it, else only those that the host lacks.
    """
    debs, libraries = debian.fetch_suite(entry, home, progress=progress)
    progress("unpacking")
    debian.unpack_all(debs, root)
    mysqld = find_layout(root, what=entry.name).mysqld
    suite = root / _SUITE
    debian.unpack_all(libraries, suite)
    if needs_later_libraries(mysqld):
        add_loader(root, mysqld)
        return [*debs, *libraries]
    with tempfile.TemporaryDirectory(prefix=".suite.", dir=home.servers) as temporary:
        suite = suite.rename(Path(temporary) / _SUITE)
        while missing := _missing(find_layout(root, what=entry.name), root):
            for soname in missing:
                if not debian.copy_library(soname, suite, root / debian.LIBRARIES):
                    return [*debs, *libraries]
    return [*debs, *libraries]


def unpack(package: Path, root: Path, keep: tuple[str, ...] = ()) -> None:
    """Unpack a tar, zip or jar, or those parts whose names begin as in `keep`; kept jars too.

    Neither tar nor zipfile writes outside of `root`, whatever the archive says.
    """
    if zipfile.is_zipfile(package):
        with zipfile.ZipFile(package) as archive:
            names = [name for name in archive.namelist() if not keep or name.startswith(keep)]
            archive.extractall(root, names)
    else:
        _untar(package, root, keep)
    for name in keep:
        if name.endswith(".jar"):
            inner = root / name
            unpack(inner, inner.parent)
            inner.unlink()


def _untar(package: Path, root: Path, keep: tuple[str, ...]) -> None:
    """Run tar, which knows every compression; Python 3.11's first tarfiles have no safe filter."""
    options = ["--no-same-owner", "--no-same-permissions", f"--directory={root}"]
    done = subprocess.run(
        ["tar", "-xf", str(package), *options, "--", *(name.rstrip("/") for name in keep)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if "Removing leading" not in line]
        raise ServerError(
            f"{package.name} can't be unpacked; tar says: {(lines or ['nothing'])[0]}",
            hint="give a .tar.gz, .tar.xz or .zip with a server's programs",
        )


def _add_libraries(entry: Entry, home: Home, root: Path, progress: Progress) -> list[Path]:
    """Bring what the loader misses, for the server and the modules it loads; look again after."""
    taken: list[Path] = []
    with locked(home, "libraries"):
        for _ in range(10):
            layout = find_layout(root, what=entry.name)
            missing = _missing(layout, root)
            if not missing:
                break
            for soname in missing:
                progress(f"adding the library {soname}")
                target = root / debian.LIBRARIES
                taken += debian.add_library(soname, home, target, needed_by=entry.name)
        taken += _add_client_libraries(layout, home, root)
    return taken


def _missing(layout: Layout, root: Path) -> list[str]:
    """What the server and the modules that it loads don't find."""
    folder = layout.plugin_dir or root
    binaries = [layout.mysqld, *(folder / f"{name}.so" for name in layout.plugins)]
    return sorted({name for path in binaries for name in layout.missing(path)})


def _add_client_libraries(layout: Layout, home: Home, root: Path) -> list[Path]:
    """Do the same for the client program, without which a server is still worth having."""
    if layout.client is None:
        return []
    with contextlib.suppress(ServerError):
        return [
            deb
            for soname in layout.missing(layout.client)
            for deb in debian.add_library(
                soname, home, root / debian.LIBRARIES, needed_by="the client"
            )
        ]
    return []


def _describe(entry: Entry, root: Path, packages: list[Path]) -> Installation:
    """Put together what is known of an unpacked server."""
    layout = find_layout(root, what=entry.name)
    product, version, version_tuple = read_version(layout)
    if entry.version is not None and entry.version != version:
        raise ServerError(
            f"{entry.name} should be version {entry.version}, but its binary says {version}",
            hint="the catalog or the package is wrong; don't use it",
        )
    sums = tuple((path.name, sha256_of(path)) for path in packages)
    return Installation(
        name=entry.name,
        product=product,
        version=version,
        version_tuple=version_tuple,
        home=root,
        mysqld=layout.mysqld,
        basedir=layout.basedir,
        share=layout.share,
        plugin_dir=layout.plugin_dir,
        library_paths=layout.library_paths,
        client=layout.client,
        plugins=layout.plugins,
        fingerprint=entry.sha256 or hashlib.sha256(repr(sums).encode()).hexdigest(),
        source=" ".join(filter(None, (entry.source, entry.suite, entry.package))),
        packages=sums,
        loader=layout.loader,
    )


def _on_path() -> Installation:
    """Describe the server on PATH; nothing is stored, since the system may change it any day."""
    names = ("mariadbd", "mysqld")
    programs = (shutil.which(n) or shutil.which(n, path=_SYSTEM_FOLDERS) for n in names)
    program = next((Path(found).resolve() for found in programs if found), None)
    if program is None:
        raise ServerError(
            "there is neither mariadbd nor mysqld on PATH",
            hint="install a server of the catalog instead: dyno servers list",
        )
    layout = find_layout_of_binary(program)
    product, version, version_tuple = read_version(layout)
    return Installation(
        name=ON_PATH,
        product=product,
        version=version,
        version_tuple=version_tuple,
        home=layout.basedir,
        mysqld=program,
        basedir=layout.basedir,
        share=layout.share,
        plugin_dir=layout.plugin_dir,
        library_paths=(),
        client=layout.client,
        plugins=layout.plugins,
        fingerprint=sha256_of(program),
        source=f"path {program}",
        packages=(),
    )


__all__ = [
    "Progress",
    "find_installation",
    "install",
    "install_tarball",
    "known_names",
    "refuse_unknown",
]
