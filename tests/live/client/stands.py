"""Where a server of these tests listens."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

SECRET = "pass ä word"


@dataclass(frozen=True)
class Stand:
    """Its port on the loopback, and the file of its authority."""

    port: int
    authority: Path
