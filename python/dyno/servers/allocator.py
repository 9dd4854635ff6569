"""The allocator that a server is started with: a library of the host, loaded before all others."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from dyno.errors import ServerError
from dyno.home import server_user
from dyno.servers.installation import Installation
from dyno.servers.private import require_reachable

# By name: how its libraries begin, in order of preference, and Debian's package.
_LIBRARIES: Mapping[str, tuple[tuple[str, ...], str]] = {
    "jemalloc": (("libjemalloc.so.",), "libjemalloc2"),
    "tcmalloc": (("libtcmalloc_minimal.so.", "libtcmalloc.so."), "libtcmalloc-minimal4"),
    "mimalloc": (("libmimalloc.so.",), "libmimalloc2.0"),
}


def with_allocator(installation: Installation, name: str | None) -> Installation:
    """The installation whose server gets its memory from an allocator: one of this host by name, or
    a library by path. Raises ServerError where there is none.
    """
    if name is None:
        return installation
    path = Path(name) if "/" in name else _on_host(name)
    if not path.is_file():
        raise ServerError(f"there is no library {path}", hint="give the path of an allocator's .so")
    require_reachable(path.resolve().parent, server_user())
    return replace(installation, allocator=path.absolute())


def _on_host(name: str) -> Path:
    if name not in _LIBRARIES:
        raise ServerError(
            f"{name!r} is no allocator that Dyno knows",
            hint=f"use {', '.join(_LIBRARIES)}, or the path of a library",
        )
    begins, package = _LIBRARIES[name]
    known = _known_libraries()
    for begin in begins:
        if found := next((path for file, path in known.items() if file.startswith(begin)), None):
            return found
    raise ServerError(
        f"this host has no {name}", hint=f"on Debian: apt-get install {package}; or give its path"
    )


def _known_libraries() -> dict[str, Path]:
    """The libraries that the host's loader finds, by file name."""
    env = {"PATH": "/usr/sbin:/sbin:/usr/bin:/bin", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            ["ldconfig", "-p"], env=env, capture_output=True, text=True, check=False
        )
    except OSError:
        return {}
    lines = (line.partition(" => ") for line in done.stdout.splitlines() if "x86-64" in line)
    return {name.split()[0]: Path(path) for name, _, path in lines if name.split() and path}
