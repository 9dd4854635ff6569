"""Where dynoload is, the program that generates load."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from dyno.errors import LoadError


def find_dynoload() -> Path:
    """The dynoload that belongs to this Dyno: beside its Python, else on PATH."""
    beside = Path(sys.executable).parent / "dynoload"
    if beside.is_file():
        return beside
    found = shutil.which("dynoload")
    if found is None:
        raise LoadError(
            "dynoload was not found beside Dyno's Python or on PATH",
            hint="install both with pip install ., or run make dev in a checkout",
        )
    return Path(found).absolute()
