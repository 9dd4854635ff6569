"""Something else in a file's place."""

from __future__ import annotations

import os
import random
from pathlib import Path

WAYS = ("gone", "pipe", "folder", "device", "full device", "loop", "huge")


def make_odd(path: Path, rng: random.Random) -> str:
    """Put something in the place of a file that none is expected to be; gives what."""
    path.unlink()
    way = rng.choice(WAYS)
    match way:
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "device":
            path.symlink_to("/dev/zero")
        case "full device":
            path.symlink_to("/dev/full")
        case "loop":
            path.symlink_to(path)
        case "huge":
            with path.open("wb") as file:
                file.truncate(10**12)
    return f"{path.name}: {way}"
