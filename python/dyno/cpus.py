"""Sets of CPUs, written as the kernel writes them: "0-3,8"."""

from __future__ import annotations

import re
from collections.abc import Iterable

CpuSet = frozenset[int]

# As many as a kernel can be built for.
CPUS_MAX = 8192
_PART = re.compile(r"(\d{1,4})(?:-(\d{1,4}))?")


def parse_cpus(text: str) -> CpuSet:
    """Read "0-3,8". Raises ValueError, in words, for anything else, and for no CPU at all."""
    found: set[int] = set()
    for part in text.split(","):
        match = _PART.fullmatch(part.strip())
        if match is None:
            raise ValueError(f"{text!r} is not a list of CPUs")
        first = int(match[1])
        last = int(match[2]) if match[2] else first
        if last < first:
            raise ValueError(f"{part.strip()} ends before it begins")
        if last >= CPUS_MAX:
            raise ValueError(f"there is no CPU {last}")
        found.update(range(first, last + 1))
    return frozenset(found)


def format_cpus(cpus: Iterable[int]) -> str:
    """Write them in order, neighbours as a range; "" for none."""
    parts: list[list[int]] = []
    for cpu in sorted(set(cpus)):
        if parts and parts[-1][1] == cpu - 1:
            parts[-1][1] = cpu
        else:
            parts.append([cpu, cpu])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)
