"""A neighbour on the host: a process that takes a core in bursts."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

# A core for 2 of 5 s: longer than a slice of the scheduler, shorter than a trial. It ends with its
# parent, however that ends: one that was left would disturb hosts that are called quiet.
BURSTS = """
import os, time
parent = os.getppid()
while os.getppid() == parent:
    end = time.monotonic() + 2
    while time.monotonic() < end:
        pass
    time.sleep(3)
"""


@contextmanager
def neighbour(kind: str) -> Iterator[None]:
    """Nothing beside a "quiet" host; else bursts as long as this lasts."""
    if kind == "quiet":
        yield
        return
    process = subprocess.Popen([sys.executable, "-c", BURSTS])
    try:
        yield
    finally:
        process.kill()
        process.wait()
