"""What the process list shows of a program while it runs."""

from __future__ import annotations

import subprocess
from pathlib import Path

from waiting import wait_until

# A ceiling for a busy host.
LIMIT_S = 60


def command_line(running: subprocess.Popen[str], until: str) -> str:
    """Its command line as soon as that has these words, which must be within a minute."""
    shown = Path(f"/proc/{running.pid}/cmdline")
    wait_until(lambda: until in shown.read_text(encoding="utf-8"), LIMIT_S)
    return shown.read_text(encoding="utf-8")
