"""Code in a process of its own with private mounts: a mount namespace belongs to a process."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

HEAD = """
import json, os, sys
from pathlib import Path
from dyno.errors import PowerError
from dyno.power import Disk, enter_private_mounts, self_test
enter_private_mounts()
folder = Path(sys.argv[1])
def say(value):
    print(json.dumps(value), flush=True)
"""


def begin(code: str, folder: Path) -> subprocess.Popen[str]:
    folder.mkdir()
    script = HEAD + textwrap.dedent(code)
    return subprocess.Popen(
        [sys.executable, "-c", script, str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(code: str, folder: Path) -> list[Any]:
    """What it said."""
    process = begin(code, folder)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return [json.loads(line) for line in out.splitlines()]


def loops_in(folder: Path) -> list[str]:
    """The loop devices whose files lie there."""
    return [
        path.parent.parent.name
        for path in Path("/sys/block").glob("loop*/loop/backing_file")
        if path.read_text().startswith(f"{folder}/")
    ]
