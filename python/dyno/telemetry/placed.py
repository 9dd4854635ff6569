"""Where the threads of a process may run, and where they last ran: read back from /proc."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dyno.cpus import CpuSet, parse_cpus

# In /proc/PID/task/TID/stat, counted from the state, which comes after the name in parentheses.
_LAST_CPU = 36


@dataclass(frozen=True)
class Thread:
    """One thread: the CPUs that it may use, and the one that it used last."""

    name: str
    allowed: CpuSet
    last: int


def threads(pid: int, root: Path = Path("/")) -> list[Thread]:
    """The threads that the process has now; those that end meanwhile are left out."""
    return list(_threads(root / f"proc/{pid}/task"))


def _threads(folder: Path) -> Iterator[Thread]:
    for task in folder.glob("[0-9]*"):
        try:
            status = (task / "status").read_text(errors="replace")
            before, _, after = (task / "stat").read_text(errors="replace").rpartition(")")
        except OSError:
            continue
        allowed = next(
            line.partition(":")[2].strip()
            for line in status.splitlines()
            if line.startswith("Cpus_allowed_list:")
        )
        name = before.partition("(")[2]
        yield Thread(name, parse_cpus(allowed), int(after.split()[_LAST_CPU]))
