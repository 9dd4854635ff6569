"""The kernel settings that decide how steady a host is: their current and wanted values.

A new one is one row of `KNOBS`: it is then read, judged, measured, set and put back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dyno.host import effects
from dyno.telemetry import proc

_CPU = "sys/devices/system/cpu"


@dataclass(frozen=True)
class Knob:
    """A kernel setting. `files`: patterns below the root with the value `wanted` in them.

    `matters`: what it does to figures while it isn't as wanted. `effect` measures that here, in
    words; None if that takes too long. `moot`: why it has no effect on the host below a root.
    """

    name: str
    files: tuple[tuple[str, str], ...]
    matters: str
    # Values that are good enough besides the wanted one.
    fine: frozenset[str] = frozenset()
    effect: Callable[[], str] | None = None
    moot: Callable[[Path], str] = lambda root: ""

    def read(self, root: Path) -> dict[Path, str]:
        """The value of each file that this host has and lets us read."""
        found = {}
        for path in self.wanted(root):
            try:
                found[path] = current(path.read_text())
            except OSError:
                continue
        return found

    def wanted(self, root: Path) -> dict[Path, str]:
        """What each of those files should have."""
        return {p: value for pattern, value in self.files for p in sorted(root.glob(pattern))}

    def is_fine(self, value: str, wanted: str) -> bool:
        """Whether a value needs no change."""
        return value == wanted or value in self.fine


def current(text: str) -> str:
    """The value in a file: the word in brackets where all choices are listed, else all of it."""
    for word in text.split():
        if word.startswith("[") and word.endswith("]"):
            return word[1:-1]
    return text.strip()


def _without_swap(root: Path) -> str:
    found = proc.known(lambda: proc.first_numbers(proc.read_text(root / "proc/meminfo")))
    return "no swap here" if found and found.get("SwapTotal") == 0 else ""


KNOBS: tuple[Knob, ...] = (
    Knob(
        "governor",
        ((f"{_CPU}/cpu[0-9]*/cpufreq/scaling_governor", "performance"),),
        "CPUs change their frequency with the load: short trials begin slow",
        effect=effects.of_frequency,
    ),
    Knob(
        "turbo",
        ((f"{_CPU}/intel_pstate/no_turbo", "1"), (f"{_CPU}/cpufreq/boost", "0")),
        "CPUs run faster while they are cool and others idle: the first trials look better",
        effect=effects.of_turbo,
    ),
    Knob(
        "SMT",
        ((f"{_CPU}/smt/control", "off"),),
        "two CPUs share a core: one is slower while the other works",
        frozenset({"forceoff", "notsupported", "notimplemented"}),
        effect=effects.of_siblings,
    ),
    Knob(
        "huge pages",
        (("sys/kernel/mm/transparent_hugepage/enabled", "madvise"),),
        "the kernel merges memory into huge pages: servers stall, and runs get different shares",
        frozenset({"never"}),
        effect=effects.of_huge_pages,
    ),
    Knob(
        "NUMA balancing",
        (("proc/sys/kernel/numa_balancing", "0"),),
        "the kernel moves memory between nodes while a load runs",
    ),
    Knob(
        "swappiness",
        (("proc/sys/vm/swappiness", "1"),),
        "the kernel may swap a server's memory out to cache more files",
        frozenset({"0"}),
        moot=_without_swap,
    ),
)
