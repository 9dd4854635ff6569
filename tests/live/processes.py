"""What the process list shows of a program while it runs."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

# A ceiling for a busy host.
LIMIT_S = 60


def command_line(running: subprocess.Popen[str], until: str) -> str:
    """Its command line once that has these words; else as it is at its end, or after a minute."""
    end = time.monotonic() + LIMIT_S
    seen = ""
    while until not in seen and running.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
        seen = Path(f"/proc/{running.pid}/cmdline").read_text(encoding="utf-8")
    return seen
