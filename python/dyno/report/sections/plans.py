"""EXPLAIN: where the arms' plans differ, step by step, and each plan in full."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from dyno.analysis.explains import same_step
from dyno.analysis.model import Explained, Findings, PlansCompared, PlanStep
from dyno.report import numbers
from dyno.report.section import Block, Lines, Section, Table, titled
from dyno.report.sheets import Cell, Column, Group, Row, Sheet, given, missing

LEAD = "Steps in join order; only those that differ: in table, access, key, or twice the rows."


def section(findings: Findings) -> Section | None:
    """If any statement could be explained."""
    if not findings.explained:
        return None
    same = [each.op for each in findings.plans_compared if len(each.arms) == 1]
    unlike = [each for each in findings.plans_compared if len(each.arms) > 1]
    blocks: list[Block] = []
    if same:
        said = f"The same plan on {_all(findings, same)}: {', '.join(same)}."
        blocks.append(Lines([said], is_brief=False))
    for each in unlike:
        blocks += titled(each.op, [Table(_differences(each), LEAD)])
    for whole in findings.explained:
        blocks.append(_whole(whole))
    names = ", ".join(each.op for each in unlike)
    says = f"The arms have different plans for {names}." if unlike else ""
    return Section("plans", "Plans", blocks, says=says)


def _all(findings: Findings, same: Sequence[str]) -> str:
    arms = {tuple(e.arms[0]) for e in findings.plans_compared if e.op in same}
    return "all arms" if arms and max(map(len, arms)) > 1 else "its only arm"


def _differences(found: PlansCompared) -> Sheet:
    columns = [Column(", ".join(arms), numeric=False) for arms in found.arms]
    rows = [
        Row(str(place), [_step(step) for step in steps])
        for place, steps in enumerate(zip_longest(*found.plans), 1)
        if not all(same_step(steps[0], other) for other in steps[1:])
    ]
    return Sheet(f"Plans of {found.op}", "Step", columns, [Group("", rows)])


def _step(step: PlanStep | None) -> Cell:
    if step is None:
        return missing("this plan has fewer steps")
    key = f" by {step.key}" if step.key else ""
    rows = "" if step.rows is None else f"about {numbers.count(step.rows)} rows"
    return given(f"{step.table}: {step.access}{key}", rows)


def _whole(found: Explained) -> Block:
    title = f"EXPLAIN of {found.op} on {', '.join(found.arms)}"
    if found.error:
        return Lines([found.error], folded=f"{title}: failed", is_brief=False)
    names, *_ = found.columns or [""]
    columns = [Column(column, numeric=False) for column in found.columns[1:]]
    rows = [Row(row[0] or "", list(_cells(row[1:]))) for row in found.rows]
    return Table(Sheet(title, names, columns, [Group("", rows)]), folded=title)


def _cells(row: Sequence[str | None]) -> Iterator[Cell]:
    return (missing("NULL") if cell is None else given(cell) for cell in row)
