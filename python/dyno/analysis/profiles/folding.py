"""The samples of a trial by part: where each one was, and what it was called by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from dyno.analysis.profiles.families import kernel_family
from dyno.analysis.profiles.names import plain
from dyno.analysis.profiles.objects import Kind, Part, kind_of, part_of
from dyno.store.stacks import NO_SYMBOL, Frame, Stack, Stacks

# Frames outside the kernel from which on a stack is more than the place that was hit.
UNWOUND_FRAMES = 3


@dataclass(kw_only=True)
class Folded:
    """Samples by part.

    `paths`: by all parts of a stack, root first. `own`: those in the part itself, which sum to
    `samples`. `inclusive`: those with the part anywhere in the stack, once per stack, which don't
    sum to anything. `callers`: for each part, its own samples by the nearest other part above it.
    `unresolved`: without a symbol. `unwound`: with more than a frame or two outside the kernel.
    """

    paths: Counter[tuple[Part, ...]] = field(default_factory=Counter)
    own: Counter[Part] = field(default_factory=Counter)
    inclusive: Counter[Part] = field(default_factory=Counter)
    callers: dict[Part, Counter[Part]] = field(default_factory=dict)
    samples: int = 0
    unresolved: int = 0
    unwound: int = 0

    def add(self, parts: tuple[Part, ...], n: int, *, frames: int) -> None:
        """Count n samples of a stack of parts, root first, that has `frames` outside the kernel."""
        leaf = parts[-1]
        self.samples += n
        self.paths[parts] += n
        self.own[leaf] += n
        for part in set(parts):
            self.inclusive[part] += n
        caller = next((part for part in reversed(parts) if part != leaf), None)
        if caller is not None:
            self.callers.setdefault(leaf, Counter())[caller] += n
        if leaf.name == NO_SYMBOL:
            self.unresolved += n
        if frames >= UNWOUND_FRAMES:
            self.unwound += n


def fold(
    stacks: Stacks,
    *,
    program: str | None = None,
    inlined: bool = True,
    nameless: Collection[Kind] = (),
) -> Folded:
    """Count a trial's stacks by part.

    `program` is the server's program, if it has an unusual name. Without `inlined`, frames that the
    compiler inlined belong to the function that they are in. Local functions of the kinds in
    `nameless` have no name, as in a stripped build.
    """
    found = Folded()
    for stack, n in stacks.items():
        kept = stack if inlined else tuple(frame for frame in stack if not frame.is_inlined)
        if nameless:
            kept = tuple(_stripped(frame, program, nameless) for frame in kept)
        if n and kept:
            parts, frames = _parts(kept, program)
            found.add(parts, n, frames=frames)
    return found


def has_inlined(many: Iterable[Stacks]) -> bool:
    """Whether any frame is marked as inlined."""
    return any(frame.is_inlined for stacks in many for stack in stacks for frame in stack)


def local_kinds(many: Iterable[Stacks], *, program: str | None = None) -> set[Kind]:
    """The kinds of code whose local functions have names."""
    frames = {frame for stacks in many for stack in stacks for frame in stack if frame.is_local}
    return {kind_of(frame.object, program=program) for frame in frames}


def sum_of(many: Iterable[Folded]) -> Folded:
    """The samples of several trials together."""
    found = Folded()
    for folded in many:
        found.paths.update(folded.paths)
        found.own.update(folded.own)
        found.inclusive.update(folded.inclusive)
        for part, callers in folded.callers.items():
            found.callers.setdefault(part, Counter()).update(callers)
        found.samples += folded.samples
        found.unresolved += folded.unresolved
        found.unwound += folded.unwound
    return found


def _parts(stack: Stack, program: str | None) -> tuple[tuple[Part, ...], int]:
    """The parts of a stack; the kernel's frames are one part, at its end."""
    outside: list[Part] = []
    kernel: list[str] = []
    for frame in stack:
        if _is_kernel(frame.object):
            kernel.append(plain(frame.symbol))
        else:
            outside.append(_part(frame, program))
    frames = len(outside)
    if kernel:
        outside.append(Part("kernel", "kernel", kernel_family(kernel)))
    return tuple(outside), frames


def _stripped(frame: Frame, program: str | None, nameless: Collection[Kind]) -> Frame:
    """The frame as a build without local names shows it."""
    if frame.is_local and kind_of(frame.object, program=program) in nameless:
        return Frame(frame.object, NO_SYMBOL)
    return frame


@lru_cache(maxsize=100_000)
def _part(frame: Frame, program: str | None) -> Part:
    return part_of(frame, program=program)


@lru_cache(maxsize=10_000)
def _is_kernel(place: str) -> bool:
    return kind_of(place) == "kernel"
