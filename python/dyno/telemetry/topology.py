"""Which CPUs this process may use, and how they are made of cores and nodes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from dyno.cpus import CpuSet, parse_cpus


@dataclass(frozen=True)
class Core:
    """A physical core: its CPUs, which are several with SMT, and its NUMA node."""

    cpus: CpuSet
    node: int


def cores(root: Path = Path("/"), allowed: CpuSet | None = None) -> list[Core]:
    """The cores with all CPUs that this process may use, in the order of their first CPU.

    `root` is the folder under which /sys is read. A CPU that it says nothing about counts as a
    core.
    """
    usable = frozenset(os.sched_getaffinity(0)) if allowed is None else allowed
    cpus = root / "sys/devices/system/cpu"
    found = {_listed(cpus / f"cpu{cpu}/topology/thread_siblings_list", cpu) for cpu in usable}
    return [
        Core(together & usable, _node(cpus / f"cpu{min(together)}"))
        for together in sorted(found, key=min)
    ]


def _listed(path: Path, cpu: int) -> CpuSet:
    try:
        return parse_cpus(path.read_text().strip())
    except (OSError, ValueError):
        return frozenset({cpu})


def _node(folder: Path) -> int:
    names = (path.name.removeprefix("node") for path in folder.glob("node[0-9]*"))
    return min((int(name) for name in names if name.isdecimal()), default=0)
