"""Keeps the CPU that it was started on from sleeping, and takes no time from anything else there.

Only run it as `python -I -S loop.py`; it ends when it is killed. Its time counts as `nice` in
/proc/stat.
"""

from __future__ import annotations

import os

if __name__ == "__main__":
    os.nice(19)
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    while True:
        pass
