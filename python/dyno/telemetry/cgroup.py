"""The CPU and memory limits that control groups put on this process, versions 1 and 2.

A server started by Dyno inherits them. Limits of other resources aren't read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from dyno.telemetry import proc
from dyno.telemetry.mounts import Mount, read_mounts

# None is "could not be found out", which is not the same as no limit.
Limit = float | Literal["unlimited"] | None

# Version 1 writes "no limit" as the highest multiple of the page size in 63 bits.
_V1_UNLIMITED_BYTES = 2**62


@dataclass(frozen=True)
class _Group:
    """This process's group and the groups around it, innermost first."""

    version: int
    folders: tuple[Path, ...]


def cpu_limit_cores(root: Path) -> Limit:
    """The smallest CPU quota of this group and its parents, in cores."""

    def quota(folder: Path, version: int) -> Limit:
        if version == 2:
            words = proc.read_text(folder / "cpu.max").split()
            return "unlimited" if words[0] == "max" else int(words[0]) / int(words[1])
        quota_us = int(proc.read_text(folder / "cpu.cfs_quota_us"))
        period_us = int(proc.read_text(folder / "cpu.cfs_period_us"))
        return "unlimited" if quota_us < 0 else quota_us / period_us

    return _smallest(root, "cpu", quota)


def memory_limit_bytes(root: Path) -> Limit:
    """The smallest memory limit of this group and its parents, in bytes."""

    def limit(folder: Path, version: int) -> Limit:
        name = "memory.max" if version == 2 else "memory.limit_in_bytes"
        text = proc.read_text(folder / name).strip()
        return "unlimited" if text == "max" or int(text) >= _V1_UNLIMITED_BYTES else int(text)

    return _smallest(root, "memory", limit)


def _smallest(root: Path, controller: str, read: Callable[[Path, int], Limit]) -> Limit:
    try:
        group = _group(root, controller)
    except (OSError, ValueError, LookupError):
        return None
    if group is None:
        return None
    limits: list[Limit] = []
    for folder in group.folders:
        try:
            limits.append(read(folder, group.version))
        except FileNotFoundError:
            limits.append("unlimited")  # The root group, or the controller is off from here on.
        except (OSError, ValueError, LookupError):
            return None
    return min((limit for limit in limits if isinstance(limit, (int, float))), default="unlimited")


def _group(root: Path, controller: str) -> _Group | None:
    """Where `controller` is set for this process; None if it isn't mounted here."""
    mounts = read_mounts(root)
    for line in proc.read_text(root / "proc/self/cgroup").splitlines():
        hierarchy, controllers, path = line.split(":", 2)
        for mount in mounts:
            top = root / mount.point.relative_to("/")
            if mount.type == "cgroup" and controller in controllers.split(","):
                if controller in mount.super_options.split(","):
                    return _Group(1, tuple(_upwards(mount, top, path)))
            elif (
                mount.type == "cgroup2"
                and hierarchy == "0"
                and controller in proc.read_text(top / "cgroup.controllers").split()
            ):
                return _Group(2, tuple(_upwards(mount, top, path)))
    return None


def _upwards(mount: Mount, top: Path, path: str) -> Iterator[Path]:
    """The group's folder and its parents up to the top of the mount.

    A container without its own namespace sees its own group mounted, under the host's path.
    """
    inner = path if mount.root == "/" else path.removeprefix(mount.root)
    folder = top / inner.lstrip("/")
    if not folder.is_dir():
        folder = top
    while folder != top:
        yield folder
        folder = folder.parent
    yield top
