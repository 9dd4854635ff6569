"""Merges rows that would repeat each other, such as those of sbtest1 to sbtest16, into one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from dyno.analysis.part import FindingsPart
from dyno.analysis.values import median_of_known
from dyno.report.sheets import Cell, Row
from dyno.spec.changed import changed

R = TypeVar("R", bound=FindingsPart)

FEWEST = 3
WITHIN = 0.05


def rows(
    reads: Sequence[R],
    name: Callable[[R], str],
    cells: Callable[[R], list[Cell]],
    figures: Sequence[str],
) -> Iterator[Row]:
    """A row per read; reads whose names differ only in their numbers, and whose `figures` agree
    within 5 %, become one row with the medians.
    """
    families: dict[str, list[R]] = {}
    for read in reads:
        families.setdefault(re.sub(r"\d+", "#", name(read)), []).append(read)
    for family in families.values():
        if len(family) < FEWEST or not all(_same(family, figure) for figure in figures):
            yield from (Row(name(read), cells(read), code=True) for read in family)
            continue
        first, *_, last = sorted(map(name, family), key=_numbers)
        known = {f: median_of_known(getattr(read, f) for read in family) for f in figures}
        middle = changed(family[0], **known)
        flag = f"each of {len(family)}"
        yield Row(f"{first} … {last}", cells(middle), flag, code=True)


def _same(family: Sequence[FindingsPart], figure: str) -> bool:
    values = [getattr(read, figure) for read in family]
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return not known
    return bool(max(known) - min(known) <= WITHIN * max(known))


def _numbers(name: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", name)]
