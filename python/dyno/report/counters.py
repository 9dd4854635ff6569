"""Which status counters are shown with a result: those that moved or differ between the arms.

A selection for reading only; the findings hold all of them. A counter that an arm doesn't have is
None, never 0.
"""

from __future__ import annotations

from dataclasses import dataclass

from dyno.analysis.costs.model import Counters, Moved
from dyno.analysis.costs.moved import OR, as_one_event
from dyno.analysis.model import Findings
from dyno.report import numbers, view

SHOWN_MOST = 14
DIFFERS_BY = 1.2
LEAST_COUNT = 10.0
# For a load the counts are per op.
LEAST_PER_OP = 0.01
# Families in the order in which an engineer asks about a temporary table: was it on disk, what did
# the engine's cache do, how many rows were touched, and the rest.
FAMILIES = ("Created_tmp", "Key_", "Aria_", "Innodb_", "Handler_", "Sort_", "Bytes_")


@dataclass(frozen=True)
class CounterRow:
    """One counter of one op over the arms; `moved` if the analysis names it."""

    name: str
    values: list[float | None]
    moved: bool


@dataclass(frozen=True)
class MovedLine:
    """A counter that moved with the results of an op, in words, on all arms where it did."""

    counter: str
    text: str


@dataclass(frozen=True)
class OpCounters:
    """The counters of one op: arms across, counters down. `rest` are others that differ; `alike`
    counts those that don't.

    For a load they are per op at one point, `at`; for statements `at` is "".
    """

    op: str
    at: str
    arms: list[str]
    picked: list[CounterRow]
    rest: list[CounterRow]
    alike: int
    host: list[CounterRow]
    moved: list[MovedLine]


def op_counters(findings: Findings) -> list[OpCounters]:
    """Counters by op in the workload's order; ops without any are left out."""
    found = (_of_op(findings, op.name) for op in findings.ops)
    return [counters for counters in found if counters.arms or counters.moved]


def _of_op(findings: Findings, op: str) -> OpCounters:
    here = [counters for counters in findings.counters if counters.op == op]
    moved = [m for m in findings.moved if m.op == op]
    loaded = view.is_load(findings)
    least = LEAST_PER_OP if loaded else LEAST_COUNT
    points = {c.point for c in here} if loaded else set()
    moved_names = {name for m in moved for name in (m.counter, *m.counter.split(OR))}
    status = _rows(as_one_event([c.status for c in here]), moved_names)
    chosen = sorted((row for row in status if _matters(row, least)), key=_place)[:SHOWN_MOST]
    names = {row.name for row in chosen}
    others = sorted((row for row in status if row.name not in names), key=lambda row: row.name)
    rest = [row for row in others if len(here) == 1 or _differs(row, least)]
    return OpCounters(
        op=op,
        at=", ".join(point.label for point in findings.points if point.index in points),
        arms=[c.arm for c in here],
        picked=chosen,
        rest=rest,
        alike=len(others) - len(rest),
        host=_host_rows(here, moved_names),
        moved=_moved_lines(moved),
    )


def _moved_lines(moved: list[Moved]) -> list[MovedLine]:
    """One line per counter: "0 on Aria 8K, 0 on Aria 2K, against 2,097,152 on MyISAM"."""
    lines = []
    for counter in dict.fromkeys(m.counter for m in moved):
        same = [m for m in moved if m.counter == counter]
        for baseline in dict.fromkeys(m.baseline for m in same):
            against = [m for m in same if m.baseline == baseline]
            values = ", ".join(f"{numbers.count(m.value)} on {m.arm}" for m in against)
            was = numbers.count(against[0].baseline_value)
            lines.append(MovedLine(counter, f"{values}, against {was} on {baseline}"))
    return lines


def _host_rows(here: list[Counters], moved_names: set[str]) -> list[CounterRow]:
    names = list(dict.fromkeys(name for c in here for name in c.host))
    return [CounterRow(n, [c.host.get(n) for c in here], n in moved_names) for n in names]


def _rows(statuses: list[dict[str, float]], moved_names: set[str]) -> list[CounterRow]:
    names = list(dict.fromkeys(name for status in statuses for name in status))
    return [CounterRow(n, [s.get(n) for s in statuses], n in moved_names) for n in names]


def _matters(row: CounterRow, least: float) -> bool:
    """Whether the analysis named it, or its family is informative and it differs between arms."""
    return row.moved or (row.name.startswith(FAMILIES[:-1]) and _differs(row, least))


def _differs(row: CounterRow, least: float) -> bool:
    """Whether it isn't about the same on all arms. One that an arm doesn't have differs."""
    values = [value for value in row.values if value is not None]
    if not values or max(values) < least:
        return False
    return len(values) < len(row.values) or max(values) > DIFFERS_BY * max(min(values), 0.0)


def _place(row: CounterRow) -> tuple[bool, int, str]:
    family = next((i for i, f in enumerate(FAMILIES) if row.name.startswith(f)), len(FAMILIES))
    return (not row.moved, family, row.name)
