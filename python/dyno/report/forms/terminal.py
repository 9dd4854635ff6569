"""The report for a terminal: the answer, the claims, the comparisons and what is not fair.

Returns something that a rich Console prints; readable at 80 columns and without colour. All texts
are passed as `Text`, so that a name such as [red] is shown and not interpreted.
"""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from dyno.analysis.fairness.model import Fairness
from dyno.analysis.model import Findings
from dyno.analysis.verdicts.model import Compared
from dyno.report import view
from dyno.report.forms import terminal_load
from dyno.report.forms.terminal_parts import estimate, heading, section, table
from dyno.report.sections.registry import reasons_of, sections_of

VERDICT_STYLE = {
    "reproduced": "green",
    "direction only": "yellow",
    "not reproduced": "red",
    "inconclusive": "dim",
}
DETAILS_MOST = 8
OF_TIMES = "times, first arm / second"
CHECK_STYLE = {"failed": "red", "warning": "yellow", "unknown": "dim", "ok": "green"}


def render_terminal(findings: Findings) -> RenderableType:
    """The report's short form. The details are in the HTML and in findings.json."""
    parts: list[RenderableType] = [
        Text(findings.title, style="bold"),
        Text(findings.question, style="dim"),
        Text(""),
        *(Text(f"! {alarm}", "yellow") for alarm in view.alarms(findings)),
        *(Text(said, style="bold" if i == 0 else "") for i, said in enumerate(findings.answer)),
        *(Text(f"! {caution}", "yellow") for caution in view.cautions(findings)),
        Text(""),
        Text(f"{', '.join(view.run_facts(findings))}. Run {view.ending(findings)}", style="dim"),
    ]
    if findings.claims:
        parts += [heading("Claims", view.tally(findings)), _claims(findings)]
    if findings.figures:
        parts += terminal_load.parts(findings)
    for made in sections_of(findings):
        parts += section(made)
    listed = terminal_load.others(findings)
    if listed:
        says = view.ratios_are(findings) if view.is_load(findings) else OF_TIMES
        parts += [heading("Comparisons", says), _comparisons(findings, listed)]
    for made in reasons_of(findings):
        parts += section(made)
    parts.append(heading("Fairness", view.fairness_summary(findings.fairness)))
    for check in view.by_severity(findings.fairness):
        if check.check != "ok":
            parts.append(_problem(check))
    parts += [_failed(arm.name, arm.failures) for arm in findings.arms if arm.failures]
    return Group(*parts)


def _claims(findings: Findings) -> Table:
    made = table(("verdict", False), ("claim", False), ("measured", False), ("expected", False))
    made.columns[0].no_wrap = True
    made.columns[1].ratio = 3
    made.columns[2].min_width = 14
    for claim in findings.claims:
        mark = f"{view.VERDICT_MARK[claim.verdict]} {claim.verdict}"
        made.add_row(
            Text(mark, style=VERDICT_STYLE[claim.verdict]),
            Text(claim.says),
            Text(view.measured(findings, claim)),
            Text(claim.expected),
        )
    return made


def _comparisons(findings: Findings, listed: list[Compared]) -> Table:
    kept = {id(compared) for compared in listed}
    of = "metric, point" if view.is_load(findings) else "op"
    made = table(
        (of, False), ("arms", False), ("ratio", True), ("interval", False), ("n", True),
        ("state", False),
    )  # fmt: skip
    for group in view.groups(findings):
        members = [compared for compared in group.compared if id(compared) in kept]
        for place, compared in enumerate(members):
            pair = Text(view.pair_of(compared))
            made.add_row(Text(group.title if place == 0 else ""), pair, *estimate(compared))
    return made


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
