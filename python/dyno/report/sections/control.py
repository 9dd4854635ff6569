"""How two copies of one server differed in this run: a sheet for every report."""

from __future__ import annotations

from dyno.analysis.model import Findings
from dyno.analysis.verdicts.model import Compared, ControlRead
from dyno.report import view
from dyno.report.section import Section, Table, problems
from dyno.report.sheets import Cell, Column, Group, Row, Sheet, estimated, given

MEANS = (
    "The control arm is a second copy of the baseline: what the two differ by comes from this host "
    "and this hour. What is not twice as large as its control is not called a difference."
)


def section(findings: Findings) -> Section | None:
    """The run's own A/A; None without a control arm."""
    control = findings.control
    if control is None or not control.compared:
        return None
    said = problems(control.compared[index].sentence for index in control.alarms)
    table = Table(sheet(findings, control), MEANS)
    title = "Control: two copies of one server"
    return Section("control", title, (said, table), _says(control), "Control")


def _says(control: ControlRead) -> str:
    if control.alarms:
        return f"Two copies of {control.of} came out different."
    return f"Two copies of {control.of} are not shown to differ."


def sheet(findings: Findings, control: ControlRead) -> Sheet:
    """A row for each metric, op and point."""
    columns = [Column(f"{control.arm} / {control.of}"), Column("State", numeric=False), Column("n")]
    rows = [Row(view.group_of(findings, c), _cells(c)) for c in control.compared]
    return Sheet("Control", "What is compared", columns, [Group("", rows)])


def _cells(c: Compared) -> list[Cell]:
    ratio = estimated(c.ratio, why="before the first look there is no ratio")
    return [ratio, given(c.state), given(str(c.n))]
