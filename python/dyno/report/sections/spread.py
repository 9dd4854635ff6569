"""Where the spread of each comparison comes from: a sheet for every report."""

from __future__ import annotations

from dyno.analysis.model import Findings
from dyno.analysis.verdicts.model import Compared, SpreadRead
from dyno.report import numbers, view
from dyno.report.section import Section, Table
from dyno.report.sheets import Cell, Column, Group, Row, Sheet, given, missing

MEANS = (
    "Standard deviation of a block's ratio, and its two parts: what varies inside trials, which "
    "longer trials average out, and what differs from block to block, which only more blocks do."
)
NOT_KNOWN = "a trial has too few values, or the metric has none by time"


def section(findings: Findings) -> Section | None:
    """The parts of the spread of primary comparisons; None before the first look."""
    found = [c for c in _chosen(findings) if c.spread is not None]
    if not found:
        return None
    return Section("spread", "Spread: blocks and trials", [Table(_sheet(findings, found), MEANS)])


def _chosen(findings: Findings) -> list[Compared]:
    primary = [c for c in findings.compared if c.primary]
    controls = [c for c in view.of_control(findings) if c.primary]
    return [*(primary or findings.compared), *controls]


def _sheet(findings: Findings, compared: list[Compared]) -> Sheet:
    columns = [
        Column("In all"),
        Column("inside trials"),
        Column("from block to block"),
        Column("What would narrow it", numeric=False),
    ]
    rows = [
        Row(f"{view.group_of(findings, c)}: {view.pair_of(c)}", _cells(c.spread))
        for c in compared
        if c.spread is not None
    ]
    return Sheet("Spread", "Comparison", columns, [Group("", rows)])


def _cells(spread: SpreadRead) -> list[Cell]:
    parts = [
        missing(NOT_KNOWN) if part is None else given(_percent(part))
        for part in (spread.within, spread.between)
    ]
    return [given(_percent(spread.block)), *parts, given(spread.says)]


def _percent(fraction: float) -> str:
    return f"{numbers.significant(100 * fraction, 2)} %"
