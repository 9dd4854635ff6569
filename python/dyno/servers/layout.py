"""Finds a server's parts in an unpacked package, whoever packed it, and asks for its version.

Knows folders' habits (tarballs, Debian, jars), not catalog entries.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dyno.errors import ServerError
from dyno.servers.installation import Product
from dyno.servers.loader import FOLDER, command, environment, find_loader, missing_libraries

# Where they lie as modules, these are loaded at every start: an engine that can be asked for.
_PLUGIN_FILES = re.compile(r"(ha_archive|ha_blackhole|provider_\w+)\.so")


@dataclass(frozen=True)
class Layout:
    """The parts of a server below one folder."""

    mysqld: Path
    basedir: Path
    share: Path
    plugin_dir: Path | None
    library_paths: tuple[Path, ...]
    client: Path | None
    plugins: tuple[str, ...]
    loader: Path | None = None

    def missing(self, binary: Path) -> list[str]:
        """The shared libraries that one of the server's programs or modules doesn't find."""
        return missing_libraries(binary, self.loader, self.library_paths)


def find_layout(root: Path, *, what: str) -> Layout:
    """Look for the server's parts below `root`; ServerError where it can't be a server."""
    mysqld = _first(root, ("mariadbd", "mysqld"), _is_program)
    if mysqld is None:
        raise ServerError(
            f"{what} holds no server: neither mariadbd nor mysqld for this machine is in it",
            hint="give a binary package for Linux x86-64, not sources or a client package",
        )
    message = next(iter(sorted(root.rglob("english/errmsg.sys"), key=_depth)), None)
    if message is None:
        raise ServerError(
            f"{what} has no share/english/errmsg.sys, without which a server doesn't start",
            hint="give a complete binary package",
        )
    in_bin = mysqld.parent.name in ("bin", "sbin", "libexec")
    plugin_dir = _plugin_dir(root)
    return Layout(
        mysqld=mysqld,
        basedir=mysqld.parent.parent if in_bin else mysqld.parent,
        share=message.parent.parent,
        plugin_dir=plugin_dir,
        library_paths=_library_paths(root, mysqld),
        client=_first(root, ("mariadb", "mysql"), _is_program),
        plugins=find_plugins(plugin_dir),
        loader=find_loader(root),
    )


def find_layout_of_binary(mysqld: Path) -> Layout:
    """Look for the parts of a server that is installed on the system, from its binary on."""
    basedir = mysqld.parent.parent
    places = ("share/mysql", "share/mariadb", "share", "share/mysql-8.0", "share/mysql-8.4")
    share = next(
        (basedir / p for p in places if (basedir / p / "english/errmsg.sys").exists()), None
    )
    if share is None:
        raise ServerError(
            f"{mysqld} is on PATH, but its share folder isn't below {basedir}",
            hint="install a server of the catalog instead: dyno servers list",
        )
    libs = [basedir / name for name in ("lib", "lib64", "lib/x86_64-linux-gnu")]
    names = ("plugin", "mysql/plugin", "mariadb/plugin")
    plugin_dir = next((lib / n for lib in libs for n in names if (lib / n).is_dir()), None)
    clients = (mysqld.parent / name for name in ("mariadb", "mysql"))
    return Layout(
        mysqld=mysqld,
        basedir=basedir,
        share=share,
        plugin_dir=plugin_dir,
        library_paths=(),
        client=next((path for path in clients if _is_program(path)), None),
        plugins=find_plugins(plugin_dir),
    )


def find_plugins(plugin_dir: Path | None) -> tuple[str, ...]:
    """Give the modules of a plugin folder that every start loads, without `.so`."""
    names = [] if plugin_dir is None else sorted(path.name for path in plugin_dir.iterdir())
    return tuple(name.removesuffix(".so") for name in names if _PLUGIN_FILES.fullmatch(name))


def read_version(layout: Layout) -> tuple[Product, str, tuple[int, int, int]]:
    """Ask a server for its product and version, e.g. ("mariadb", "10.1.8", (10, 1, 8))."""
    argv = command(layout.mysqld, layout.loader, layout.library_paths)
    done = subprocess.run(
        [*argv, "--no-defaults", "--version"],
        env=environment(layout.loader, layout.library_paths),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    found = re.search(r"Ver ((\d+)\.(\d+)\.(\d+)\S*)", done.stdout)
    if found is None:
        said = (done.stderr or done.stdout).strip().splitlines() or ["it says nothing"]
        raise ServerError(
            f"{layout.mysqld.name} doesn't report its version: {said[-1]}",
            hint="the package may be for another machine",
        )
    major, minor, patch = (int(found.group(n)) for n in (2, 3, 4))
    product: Product = "mariadb" if "mariadb" in done.stdout.lower() else "mysql"
    return product, f"{major}.{minor}.{patch}", (major, minor, patch)


def make_readable(root: Path) -> None:
    """Set modes: archives without them (jars) lose the x bit, and servers run as another user."""
    for folder, _, files in os.walk(root):
        Path(folder).chmod(0o755)
        for name in files:
            path = Path(folder) / name
            if path.is_symlink():
                continue
            with path.open("rb") as file:
                head = file.read(4)
            path.chmod(0o755 if head == b"\x7fELF" or head[:2] == b"#!" else 0o644)


def _depth(path: Path) -> tuple[int, str]:
    return len(path.parts), str(path)


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK) and path.parent.name != FOLDER


def _first(root: Path, names: tuple[str, ...], accept: Callable[[Path], bool]) -> Path | None:
    """Give the shallowest accepted file of the first name that has one."""
    for name in names:
        for path in sorted(root.rglob(name), key=_depth):
            if accept(path):
                return path
    return None


def _plugin_dir(root: Path) -> Path | None:
    folders = (path for path in root.rglob("plugin") if path.is_dir() and any(path.glob("*.so")))
    return next(iter(sorted(folders, key=_depth)), None)


def _library_paths(root: Path, mysqld: Path) -> tuple[Path, ...]:
    """Give the folders with shared libraries: beside the binary, lib folders, fetched ones."""
    named = [path for path in root.rglob("*") if path.name in ("lib", "libs", "dyno-libs")]
    named += [mysqld.parent, *root.rglob("lib/x86_64-linux-gnu"), *root.rglob("lib/private")]
    return tuple(path for path in dict.fromkeys(named) if path.is_dir() and _has_library(path))


def _has_library(folder: Path) -> bool:
    return any(re.search(r"\.so(\.\d+)*$", path.name) for path in folder.iterdir())
