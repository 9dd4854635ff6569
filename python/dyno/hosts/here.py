"""What a host tells its driver about itself: its facts, and which Dyno it has."""

from __future__ import annotations

import hashlib
import platform
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dyno
from dyno.errors import LoadError
from dyno.hosts.clock import Offset, wall_gap_ns
from dyno.program import find_dynoload
from dyno.telemetry import host_facts


@dataclass(frozen=True)
class HostRead:
    """`dyno`: a digest of Dyno's own files, dynoload included; `python`: two numbers, as 3.11;
    `facts`: those of host.json, by name; `wall_gap_ns`: see `clock`.
    """

    dyno: str
    python: str
    facts: dict[str, Any]
    wall_gap_ns: int


def read_host() -> HostRead:
    """This host. Raises LoadError if it has no dynoload."""
    facts = host_facts(Path(tempfile.gettempdir())).to_dict()
    python = ".".join(platform.python_version_tuple()[:2])
    return HostRead(dyno=_digest(), python=python, facts=facts, wall_gap_ns=wall_gap_ns())


def wall_ahead_s(there: HostRead, here: HostRead, here_ahead: Offset) -> float:
    """How far a host's wall clock is ahead of this one's. `here_ahead`: how far this host's clock
    is ahead, as that host measured it.
    """
    return (there.wall_gap_ns - here.wall_gap_ns - here_ahead.ahead_ns) / 1e9


def require_same(here: HostRead, there: HostRead, name: str) -> None:
    """Raise LoadError if a host by this name has another Dyno or Python than this one."""
    if there.python != here.python:
        raise LoadError(
            f"{name} has Python {there.python}, and this host has {here.python}",
            hint="install Dyno there with the same Python",
        )
    if there.dyno != here.dyno:
        raise LoadError(
            f"{name} has another Dyno ({there.dyno[:12]}) than this host ({here.dyno[:12]})",
            hint="install the same wheel there, and start its agent again",
        )


def package_files() -> Iterator[tuple[str, Path]]:
    """All of the package that a run consists of, with their names in it."""
    package = Path(dyno.__file__).parent
    for path in sorted(package.rglob("*")):
        if path.suffix in (".py", ".toml"):
            yield str(path.relative_to(package)), path


def _digest() -> str:
    """SHA-256 of all that a run consists of, by the names of the files."""
    whole = hashlib.sha256()
    for name, path in package_files():
        whole.update(f"{name}\0".encode() + path.read_bytes())
    with find_dynoload().open("rb") as program:
        whole.update(hashlib.file_digest(program, "sha256").digest())
    return whole.hexdigest()
