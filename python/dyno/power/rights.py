"""Whether power can be pulled on this host."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

_NEED = "Power cuts need root, because they mount a file system made for the test."
_WITHOUT = (
    "Without it only kill -9 can be tested, and that can't show what an unsynced page cache would "
    "lose."
)
# CAP_SYS_ADMIN in the set of effective capabilities.
_SYS_ADMIN = 1 << 21


def lacking() -> str | None:
    """What is missing, in words; None if nothing is."""
    missing = []
    if not _may_mount():
        missing.append("the right to mount (CAP_SYS_ADMIN)")
    if not Path("/dev/loop-control").exists():
        missing.append("a loop device (/dev/loop-control)")
    if shutil.which("mkfs.ext4", path=f"{os.environ.get('PATH', '')}:/sbin:/usr/sbin") is None:
        missing.append("mkfs.ext4")
    return f"{_NEED} Missing: {', '.join(missing)}. {_WITHOUT}" if missing else None


def _may_mount() -> bool:
    """In the initial user namespace: another one's root may not mount a disk."""
    status = Path("/proc/self/status").read_text("utf-8")
    effective = next(line.split()[1] for line in status.splitlines() if line.startswith("CapEff:"))
    is_initial = Path("/proc/self/uid_map").read_text("utf-8").split() == ["0", "0", "4294967295"]
    return bool(int(effective, 16) & _SYS_ADMIN) and is_initial
