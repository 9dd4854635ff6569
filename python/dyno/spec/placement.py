"""Where the threads of server and load generator may run, as an experiment declares it.

A host's CPUs are only known on it: there `runner.placement` makes sets of CPUs from this.
"""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple

from pydantic import AfterValidator

from dyno.cpus import CpuSet, format_cpus, parse_cpus
from dyno.spec.strict import mistake

FREE: Literal["free"] = "free"
SPLIT: Literal["split"] = "split"


class Sets(NamedTuple):
    """The CPUs of each, disjoint."""

    server: CpuSet
    generator: CpuSet

    def __str__(self) -> str:
        return f"{format_cpus(self.server)}/{format_cpus(self.generator)}"


def read_placement(text: str) -> str:
    """The placement in its shortest form. Refuses anything that isn't one of the three."""
    return text if text in (FREE, SPLIT) else str(named_sets(text))


def named_sets(text: str) -> Sets:
    """Read "0-2/3": the server's CPUs, then the generator's."""
    server, slash, generator = text.partition("/")
    if not slash:
        raise mistake(
            f"{text!r} is no placement",
            hint='write "free", "split", or CPUs for server and generator: "0-2/3"',
        )
    try:
        sets = Sets(parse_cpus(server), parse_cpus(generator))
    except ValueError as error:
        raise mistake(
            f"{text!r}: {error}", hint='write CPUs as the kernel does: "0-2,8/3"'
        ) from None
    if both := sets.server & sets.generator:
        raise mistake(
            f"{text!r}: server and generator share CPU {format_cpus(both)}",
            hint='give each its own, or write "free"',
        )
    return sets


Placement = Annotated[str, AfterValidator(read_placement)]
