"""Mounts and the block devices under them, from /proc/self/mountinfo and /sys."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from dyno.telemetry import proc


@dataclass(frozen=True)
class Mount:
    """A line of mountinfo. `root` is the folder of the file system that is visible at `point`."""

    device: str
    root: str
    point: Path
    options: str
    type: str
    source: str
    super_options: str


def read_mounts(root: Path) -> tuple[Mount, ...]:
    """All mounts, in the order in which they were made."""
    lines = proc.read_text(root / "proc/self/mountinfo").splitlines()
    return tuple(parse_mount(line) for line in lines)


def parse_mount(line: str) -> Mount:
    """Parse a line of mountinfo, as in proc(5); the optional fields in the middle are skipped."""
    before, _, after = line.partition(" - ")
    fields, last = before.split(" "), after.split(" ", 2)
    return Mount(
        device=fields[2],
        root=_unescape(fields[3]),
        point=Path(_unescape(fields[4])),
        options=fields[5],
        type=last[0],
        source=_unescape(last[1]),
        super_options=last[2],
    )


def mount_of(path: Path, mounts: tuple[Mount, ...]) -> Mount | None:
    """The mount that holds an absolute path without links: the longest, and of two the later."""
    found = None
    for mount in mounts:
        if path.is_relative_to(mount.point) and (
            found is None or len(mount.point.parts) >= len(found.point.parts)
        ):
            found = mount
    return found


def is_rotational(mount: Mount, root: Path) -> bool | None:
    """Whether the kernel treats the mount's disk as a spinning one; None without a disk.

    A virtual disk is what its hypervisor says it is. File systems over several devices (btrfs)
    have no device number of their own: the device named as the source is used.
    """
    device = mount.device
    if device.startswith("0:"):
        try:
            number = (root / mount.source.lstrip("/")).stat().st_rdev
        except OSError:
            return None
        device = f"{os.major(number)}:{os.minor(number)}"
    folder = root / "sys/dev/block" / device
    for queue in (folder / "queue", folder / "../queue"):  # A partition's queue is its disk's.
        try:
            return proc.read_text(queue / "rotational").strip() == "1"
        except OSError:
            continue
    return None


def _unescape(field: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), field)
