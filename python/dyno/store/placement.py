"""Where server and load generator ran in a trial, as it was read back."""

from __future__ import annotations

from typing import Literal, TypeAlias

from dyno.cpus import CpuSet, format_cpus, parse_cpus
from dyno.spec.placement import Sets
from dyno.store.part import Stored

# How CPUs were kept from sleeping; "not" if nothing that helps is available.
Way: TypeAlias = Literal["request", "loops", "not"]


class Placed(Stored):
    """CPUs as the kernel writes them, None where it chose them. `*_threads`: how many were looked
    at, None if that failed; `elsewhere`: those that might run on other CPUs, one per line.

    `awake`: how CPUs were kept from sleeping, None if nobody asked: "request"
    (/dev/cpu_dma_latency); "loops", which took `awake_cpu_s` of otherwise idle CPU time; or "not",
    since loops don't shorten a round trip between two CPUs here: it takes `asleep_us` without
    and `looped_us` with them.
    """

    server: str | None = None
    generator: str | None = None
    server_threads: int | None = None
    generator_threads: int | None = None
    elsewhere: list[str] = []
    awake: Way | None = None
    awake_cpu_s: float | None = None
    asleep_us: float | None = None
    looped_us: float | None = None

    @property
    def sets(self) -> Sets | None:
        """Both sets; None where the kernel chose."""
        if self.server is None or self.generator is None:
            return None
        return Sets(parse_cpus(self.server), parse_cpus(self.generator))


def as_text(cpus: CpuSet | None) -> str | None:
    """A set as it is stored."""
    return None if cpus is None else format_cpus(cpus)
