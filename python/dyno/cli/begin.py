"""How a run begins: where its folder is, and what is stored of the command."""

from __future__ import annotations

import secrets
import shlex
import sys
import time
from pathlib import Path

from dyno import __version__
from dyno.store.run import RunState


def new_run(name: str, out: Path) -> tuple[Path, RunState]:
    """The path of a new run's folder, which begins with the time, and its state."""
    started_unix_ms = time.time_ns() // 1_000_000
    stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime(started_unix_ms / 1000))
    state = RunState(
        state="running",
        started_unix_ms=started_unix_ms,
        dyno=__version__,
        command=shlex.join(["dyno", *sys.argv[1:]]),
    )
    return out / name / f"{stamp}Z-{secrets.token_hex(4)}", state
