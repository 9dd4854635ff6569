"""The working copies of datasets: what servers run on, made from snapshots and thrown away.

Arms with the same dataset take turns on one copy, so that where its files happen to lie in memory
and on disk can't look like a difference between them. Every few blocks the copy is made again: one
copy is one sample of that layout (statistics: at least three fresh loads per comparison).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dyno.home import Home
from dyno.servers import snapshots

BLOCKS_A_COPY = 3


@dataclass
class WorkingCopy:
    """One data folder. `clean` is set by whoever stopped a server on it cleanly."""

    home: Home
    snapshot_key: str
    path: Path
    clean: bool = False
    drawn: int = -1

    def place(self, *, block: int, writes: bool) -> Path:
        """The folder, restored if it was written to, left dirty, or used for enough blocks."""
        draw = block // BLOCKS_A_COPY
        if writes or not self.clean or self.drawn != draw:
            snapshots.restore(self.snapshot_key, self.path, home=self.home)
            self.drawn = draw
        self.clean = False
        return self.path
