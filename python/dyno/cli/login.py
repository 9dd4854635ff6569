"""How the command line gets at passwords of somebody else's servers beside DYNO_PASSWORD."""

from __future__ import annotations

import functools
import getpass
import os
import sys
from pathlib import Path

from dyno.servers import Login


def login() -> Login:
    """The option file that DYNO_OPTION_FILE names, and a question where there is a terminal."""
    option_file = os.environ.get("DYNO_OPTION_FILE")
    return Login(
        option_file=Path(option_file) if option_file else None,
        # Several arms at one address: one question.
        prompt=functools.cache(getpass.getpass) if sys.stdin.isatty() else None,
    )
