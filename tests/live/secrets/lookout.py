"""What anybody can see of a command line's processes while they run."""

from __future__ import annotations

import subprocess
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

# Python maps such a file for the first extension module that is imported, after its own start.
EXTENSION = b".cpython-"


@dataclass
class Lookout:
    """Watches the processes of one session for a secret; `seen` says where it was."""

    process: subprocess.Popen[bytes]
    secret: bytes
    seen: set[str] = field(default_factory=set)
    _ended: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Lookout:
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        # A process of another session never gets into this one: it is read once.
        strangers: set[Path] = set()
        while not self._ended.is_set():
            there = {entry for entry in Path("/proc").iterdir() if entry.name.isdigit()}
            strangers &= there
            for entry in there - strangers:
                with suppress(OSError, ValueError, IndexError):
                    if not self._look(entry):
                        strangers.add(entry)
            time.sleep(0.002)

    def _look(self, entry: Path) -> bool:
        """Whether the process is of the session."""
        numbers = (entry / "stat").read_bytes().rpartition(b") ")[2].split()
        if int(numbers[3]) != self.process.pid:
            return False
        is_child = entry.name != str(self.process.pid)
        # Before the arguments: what is hidden between the two looks was hidden in time.
        may_show = not is_child and is_starting(entry)
        shown = (entry / "cmdline").read_bytes()
        if is_child and shown == Path(f"/proc/{self.process.pid}/cmdline").read_bytes():
            return True  # Forked a moment ago: still the image of its parent.
        if self.secret in shown and not may_show:
            self.seen.add(f"arguments of {'a child' if is_child else 'the command'}: {shown!r}")
        if is_child and self.secret in (entry / "environ").read_bytes():
            self.seen.add(f"environment of a child: {shown!r}")
        return True


def is_starting(entry: Path) -> bool:
    """Whether the process is Python in its own start, in which nobody can hide an argument.

    What is loaded shows it, not time, so a busy or slow host doesn't matter.
    """
    if not (entry / "exe").readlink().name.startswith("python"):
        return False
    return EXTENSION not in (entry / "maps").read_bytes()
