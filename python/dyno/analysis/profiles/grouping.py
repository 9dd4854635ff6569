"""Into which rows the parts of two profiles go: each part in exactly one, so that rows sum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dyno.analysis.profiles.cells import Cells
from dyno.analysis.profiles.matching import Move, Pair
from dyno.analysis.profiles.model import RowKind
from dyno.analysis.profiles.objects import KINDS, Kind, Part
from dyno.stats.sampled import SEEN_LEAST, shares_of_both


@dataclass(frozen=True, kw_only=True)
class Group:
    """The parts of a row. `inclusive` is the part whose stacks are those of the whole group, if
    there is one.
    """

    kind: RowKind
    label: str
    module: str
    parts: tuple[Part, ...]
    inclusive: tuple[Part, ...] = ()


def classes(parts: Sequence[Part]) -> list[Group]:
    """A group for each class of objects that has samples, in the order of `KINDS`."""
    found: dict[Kind, list[Part]] = {kind: [] for kind in KINDS}
    for part in parts:
        found[part.kind].append(part)
    return [
        Group(kind="class", label=KINDS[kind], module=KINDS[kind], parts=tuple(members))
        for kind, members in found.items()
        if members
    ]


def groups(cells: Cells, pairs: Sequence[Pair] = (), moves: Sequence[Move] = ()) -> list[Group]:
    """Pairs of renamed functions, functions that moved with their callers, all other parts with at
    least 0.1 % of both arms' samples; of the smaller ones, a group for each module.
    """
    found = [_moved(move) for move in moves]
    taken = {part for group in found for part in group.parts}
    for pair in pairs:
        if taken.isdisjoint(pair):
            found.append(_renamed(pair))
            taken.update(pair)
    rest: dict[tuple[Kind, str], list[Part]] = {}
    shares = shares_of_both(cells.arm, cells.baseline)
    for part, share in zip(cells.parts, shares, strict=True):
        if part in taken:
            continue
        if share >= SEEN_LEAST:
            found.append(
                Group(
                    kind="function",
                    label=part.label,
                    module=part.module,
                    parts=(part,),
                    inclusive=(part,),
                )
            )
        else:
            rest.setdefault((part.kind, part.module), []).append(part)
    return found + [_rest(module, parts) for (_, module), parts in rest.items()]


def large(cells: Cells, found: Sequence[Group]) -> list[Group]:
    """The groups with at least 0.1 % of both arms' samples, which are tested."""
    shares = shares_of_both(*cells.grouped([group.parts for group in found]))
    return [group for group, share in zip(found, shares, strict=True) if share >= SEEN_LEAST]


def _renamed(pair: Pair) -> Group:
    return Group(
        kind="renamed",
        label=f"{pair.theirs.name}, renamed to {pair.ours.name}?",
        module=pair.theirs.module,
        parts=tuple(pair),
        # Each arm has one of the two, so no stack counts twice.
        inclusive=tuple(pair),
    )


def _moved(move: Move) -> Group:
    names = " and ".join(part.name for part in move.functions)
    callers = " and ".join(part.name for part in move.callers)
    where = "into its caller" if len(move.callers) == 1 else "into its callers"
    if not move.into:
        where = where.replace("into", "out of")
    if len(move.functions) > 1:
        where = where.replace("its", "their")
    return Group(
        kind="inlined",
        label=f"moved, {names} {where} {callers}",
        module=move.functions[0].module,
        parts=move.parts,
        # What a caller costs with all it calls doesn't change when it takes a function in.
        inclusive=move.callers if len(move.callers) == 1 else (),
    )


def _rest(module: str, parts: Sequence[Part]) -> Group:
    name = "the kernel" if module == "kernel" else module
    return Group(kind="rest", label=f"the rest of {name}", module=module, parts=tuple(parts))
