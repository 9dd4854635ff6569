"""Stops a load before it fills the disk: a full one stops our servers in mid-write, and other
programs of the host with them.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from dyno.errors import StoreError
from dyno.spec.units import format_bytes

LEAST_BYTES = 512 * 1024**2
LEAST_SHARE = 0.05


def require_room(disk: Path | None) -> None:
    """Raise StoreError if little is free on the disk of a path: 512 MiB, or 5 % of a small disk.
    None is a disk that isn't on this host.
    """
    if disk is None:
        return
    usage = shutil.disk_usage(disk)
    if usage.free < min(LEAST_BYTES, LEAST_SHARE * usage.total):
        raise StoreError(
            f"the disk of {disk} is nearly full: {format_bytes(usage.free)} are left, so the "
            "load was stopped",
            hint="free some space there, set DYNO_HOME to a larger disk, or load less: --scale",
        )
