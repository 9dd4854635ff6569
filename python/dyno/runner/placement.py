"""Makes sets of CPUs from a declared placement, on this host.

Server and load generator are started on their sets, so that every one of their threads is there
from its first instruction. What holds while a load runs is in `ground`.
"""

from __future__ import annotations

from collections.abc import Sequence

from dyno.cpus import CpuSet, format_cpus
from dyno.errors import SpecError
from dyno.spec.placement import FREE, SPLIT, Sets, named_sets
from dyno.telemetry import Core, cores

# One core in this many is the load generator's, and at least one.
CORES_A_GENERATOR = 8


def sets_of(placement: str, *, known: Sequence[Core] | None = None) -> Sets | None:
    """The CPUs of server and generator; None where the kernel chooses.

    `known`: the cores to choose from; by default those that this process may use. Raises SpecError
    if this host doesn't have them.
    """
    if placement == FREE:
        return None
    here = cores() if known is None else known
    return _split(here) if placement == SPLIT else _named(named_sets(placement), here)


def _split(known: Sequence[Core]) -> Sets:
    """Whole cores; the generator's are all on one node, the last one."""
    if len(known) < 2:
        raise SpecError(
            'placement is "split", and there is one core for both server and load generator',
            hint='use placement = "free"',
        )
    ours = [core for core in known if core.node == known[-1].node]
    wanted = min(max(1, len(known) // CORES_A_GENERATOR), len(ours), len(known) - 1)
    generator = ours[-wanted:]
    server = [core for core in known if core not in generator]
    return Sets(_cpus(server), _cpus(generator))


def _named(sets: Sets, known: Sequence[Core]) -> Sets:
    missing = (sets.server | sets.generator) - _cpus(known)
    if missing:
        raise SpecError(
            f'placement "{sets}" names CPU {format_cpus(missing)}, '
            f"but this process may use {format_cpus(_cpus(known))} only",
            hint="lscpu --extended lists the CPUs of this host",
        )
    for core in known:
        if core.cpus & sets.server and core.cpus & sets.generator:
            raise SpecError(
                f'placement "{sets}" divides a core: CPUs {format_cpus(core.cpus)} are one (SMT)',
                hint="give all CPUs of a core to the server, or all to the generator",
            )
    return sets


def _cpus(some: Sequence[Core]) -> CpuSet:
    return frozenset().union(*(core.cpus for core in some))
