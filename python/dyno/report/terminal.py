"""The report for a terminal: the answer, the claims, the comparisons and what is not fair.

Returns something that a rich Console prints; readable at 80 columns and without colour. All texts
go in as `Text`, so that a name such as [red] is shown and not obeyed.
"""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from dyno.analysis.model import Compared, Fairness, Findings
from dyno.report import numbers, view

VERDICT_STYLE = {
    "reproduced": "green",
    "direction only": "yellow",
    "not reproduced": "red",
    "inconclusive": "dim",
}
DETAILS_MOST = 8
CHECK_STYLE = {"failed": "red", "warning": "yellow", "unknown": "dim", "ok": "green"}


def render_terminal(findings: Findings) -> RenderableType:
    """The report's short form. The details are in the HTML and in findings.json."""
    parts: list[RenderableType] = [
        Text(findings.title, style="bold"),
        Text(findings.question, style="dim"),
        Text(""),
        *(Text(said, style="bold" if i == 0 else "") for i, said in enumerate(findings.answer)),
        Text(""),
        Text(f"{', '.join(view.run_facts(findings))}. Run {view.ending(findings)}", style="dim"),
    ]
    if findings.claims:
        parts += [_heading("Claims", view.tally(findings)), _claims(findings)]
    if findings.compared:
        parts += [_heading("Comparisons", "times, first arm / second"), _comparisons(findings)]
    parts.append(_heading("Fairness", view.fairness_summary(findings.fairness)))
    for check in view.by_severity(findings.fairness):
        if check.check != "ok":
            parts.append(_problem(check))
    parts += [_failed(arm.name, arm.failures) for arm in findings.arms if arm.failures]
    return Group(*parts)


def _heading(title: str, says: str) -> Text:
    return Text.assemble("\n", (title, "bold"), "  ", (says, "dim"))


def _table(*columns: tuple[str, bool]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for name, numeric in columns:
        table.add_column(
            name, justify="right" if numeric else "left", no_wrap=numeric, overflow="fold"
        )
    return table


def _claims(findings: Findings) -> Table:
    table = _table(("verdict", False), ("claim", False), ("measured", False), ("expected", False))
    table.columns[0].no_wrap = True
    table.columns[1].ratio = 3
    table.columns[2].min_width = 14
    for claim in findings.claims:
        mark = f"{view.VERDICT_MARK[claim.verdict]} {claim.verdict}"
        table.add_row(
            Text(mark, style=VERDICT_STYLE[claim.verdict]),
            Text(claim.says),
            Text(view.measured(findings, claim)),
            Text(claim.expected),
        )
    return table


def _comparisons(findings: Findings) -> Table:
    table = _table(
        ("op", False), ("arms", False), ("ratio", True), ("interval", False), ("n", True),
        ("state", False),
    )  # fmt: skip
    for group in view.groups(findings):
        for place, compared in enumerate(group.compared):
            table.add_row(Text(group.op if place == 0 else ""), *_comparison(compared))
    return table


def _comparison(compared: Compared) -> list[Text]:
    known = compared.ratio_low is not None and compared.ratio_high is not None
    bounds = numbers.interval(compared.ratio_low, compared.ratio_high)
    state = compared.state + (", tail-driven" if compared.tail_driven else "")
    colour = "" if compared.state == "different" else "dim"
    return [
        Text(view.pair_of(compared)),
        Text(numbers.ratio(compared.ratio), style="bold"),
        Text(bounds if known else numbers.MISSING),
        Text(str(compared.n)),
        Text(state, style=colour),
    ]


def _problem(check: Fairness) -> RenderableType:
    mark = f"{view.CHECK_MARK[check.check]} {check.check}"
    said = Text.assemble((mark, CHECK_STYLE[check.check]), f"  {check.name}: {check.says}")
    details = [Text(line, style="dim") for line in check.details[:DETAILS_MOST]]
    if len(check.details) > DETAILS_MOST:
        more = f"… and {len(check.details) - DETAILS_MOST:,} more, in the report"
        details.append(Text(more, style="dim"))
    return Group(said, _indented(details)) if details else said


def _failed(arm: str, failures: list[str]) -> RenderableType:
    said = Text.assemble(("✗ failed trials", "red"), f"  {arm}")
    return Group(said, _indented([Text(line) for line in failures]))


def _indented(lines: list[Text]) -> Padding:
    return Padding(Group(*lines), (0, 0, 0, 4))
