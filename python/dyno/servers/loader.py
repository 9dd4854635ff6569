"""How a program is started with the libraries that came with it: by the host's loader, or by one of
its own where it needs a later C library than the host has.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from dyno.errors import ServerError

# Holds the loader, under the server's own name: that is what process lists show.
FOLDER = "dyno-loader"
_PLAIN = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C", "HOME": "/nonexistent"}


def command(program: Path, loader: Path | None, libraries: Sequence[Path]) -> list[str]:
    """The words that start a program, before its own arguments."""
    if loader is None:
        return [str(program)]
    return [str(loader), "--library-path", _joined(libraries), str(program)]


def environment(loader: Path | None, libraries: Sequence[Path]) -> dict[str, str]:
    """The variables that it needs; nothing is inherited."""
    if loader is not None or not libraries:
        return dict(_PLAIN)
    return {**_PLAIN, "LD_LIBRARY_PATH": _joined(libraries)}


def missing_libraries(program: Path, loader: Path | None, libraries: Sequence[Path]) -> list[str]:
    """The shared libraries that the loader doesn't find for a program or module."""
    lister = ["ldd"] if loader is None else [*command(program, loader, libraries)[:-1], "--list"]
    said = _said([*lister, str(program)], environment(loader, libraries))
    # A loader that lists a module gives up at the first one that it doesn't find.
    patterns = (
        r"^\s*(\S+) => not found",
        r"error while loading shared libraries: (\S+): cannot open",
    )
    return [name for pattern in patterns for name in re.findall(pattern, said, re.MULTILINE)]


def needs_later_libraries(program: Path) -> bool:
    """Whether the host's C or C++ library is older than the one that a program was made for."""
    said = _said(["ldd", str(program)], _PLAIN)
    return re.search(r"version `(GLIBC|GLIBCXX|CXXABI|GCC)_\S+' not found", said) is not None


def add_loader(root: Path, server: Path) -> Path:
    """Put the loader that lies among the unpacked libraries where `find_loader` looks for it."""
    found = next(iter(sorted(root.rglob("ld-linux-x86-64.so.2"))), None)
    if found is None:
        raise ServerError(
            f"{server.name} needs a later C library than this host's, and its packages have none",
            hint="use a server of this host's own suite, such as mariadb-debian",
        )
    target = root / FOLDER / server.name
    target.parent.mkdir()
    shutil.copy2(found.resolve(), target)
    return target


def find_loader(root: Path) -> Path | None:
    """The loader that a server's folder has of its own."""
    return next(iter(sorted((root / FOLDER).glob("*"))), None)


def _joined(folders: Sequence[Path]) -> str:
    return ":".join(str(folder) for folder in folders)


def _said(argv: Sequence[str], env: Mapping[str, str]) -> str:
    done = subprocess.run(argv, env=dict(env), capture_output=True, text=True, check=False)
    return done.stdout + done.stderr
