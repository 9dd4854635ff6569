"""Sends back each byte that comes in; `python -I -S echo.py CPU`, with a socket as its input."""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    os.sched_setaffinity(0, {int(sys.argv[1])})
    while byte := os.read(0, 1):
        os.write(0, byte)
