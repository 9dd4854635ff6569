"""A neighbour on the host: a process that takes a core in bursts."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from dyno.launch import launch

# A core for 2 of 5 s: longer than a slice of the scheduler, shorter than a trial.
BURSTS = """
import time
while True:
    end = time.monotonic() + 2
    while time.monotonic() < end:
        pass
    time.sleep(3)
"""


@contextmanager
def neighbour(kind: str) -> Iterator[None]:
    """Nothing beside a "quiet" host; else bursts as long as this lasts, and no longer than this
    process, however it ends: bursts that are left over would disturb hosts that are called quiet.
    """
    if kind == "quiet":
        yield
        return
    process = launch([sys.executable, "-c", BURSTS], env=os.environ)
    try:
        yield
    finally:
        process.kill()
        process.wait()
