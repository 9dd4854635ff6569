"""Status counters and host figures of each op: those that differ between the arms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dyno.analysis.model import Findings, OpRead
from dyno.report import numbers, view
from dyno.report.counters import CounterRow, OpCounters, op_counters
from dyno.report.section import Block, Code, Lines, Pairs, Section, Table, titled
from dyno.report.sheets import Cell, Column, Group, Row, Sheet, given, missing
from dyno.spec.units import plural

ABSENT = "unavailable: this arm doesn't have it, or it could not be read"
LEAD = "What moved along with the results: reasons to look at, not proofs. "
OF_LOAD = "Medians over the trials of an arm at a point, for one op."
OF_STATEMENT = "Deltas around one statement, medians over the trials of an arm."


def section(findings: Findings) -> Section | None:
    """For every statement, and for loads with counters."""
    loaded = view.is_load(findings)
    found = {counters.op: counters for counters in op_counters(findings)}
    blocks = [
        block
        for op in findings.ops
        for block in titled(view.op_title(op), [*_blocks(op, found.get(op.name), loaded=loaded)])
    ]
    if not blocks:
        return None
    lead = Lines([LEAD + (OF_LOAD if loaded else OF_STATEMENT)], "quiet", is_brief=False)
    return Section("counters", "Counters", [lead, *blocks])


def _blocks(op: OpRead, found: OpCounters | None, *, loaded: bool) -> Iterator[Block]:
    if op.sql:
        yield Code(op.sql)
    if found is not None:
        yield from _counters(found)
    elif not loaded:
        yield Lines(["Status counters: unavailable."], "quiet", is_brief=False)


def _counters(found: OpCounters) -> Iterator[Block]:
    lead = f"At {found.at}." if found.at else ""
    moved = [(line.counter, line.text) for line in found.moved]
    yield Pairs(moved, code_names=True, is_brief=False)
    yield Table(_sheet(f"Status of {found.op}", found.arms, found.picked), lead)
    host = f"Host while {found.op} ran"
    yield Table(_sheet(host, found.arms, found.host), folded=host)
    rest = plural(len(found.rest), "other counter")
    yield Table(_sheet(f"Other status of {found.op}", found.arms, found.rest), folded=rest)
    if found.alike:
        alike = plural(found.alike, "counter")
        said = f"Hardly any difference, so not listed: {alike}. findings.json has them."
        yield Lines([said], "quiet", is_brief=False)


def _sheet(name: str, arms: Sequence[str], rows: Sequence[CounterRow]) -> Sheet:
    made = [
        Row(row.name, [cell(v) for v in row.values], flag="moved" if row.moved else "", code=True)
        for row in rows
    ]
    return Sheet(name, "Counter", [Column(arm) for arm in arms], [Group("", made)])


def cell(value: float | None) -> Cell:
    """A counter on an arm: a missing one is a dash, not 0."""
    return missing(ABSENT) if value is None else given(numbers.count(value))
