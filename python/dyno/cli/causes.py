"""What `dyno why` shows: before it measures, and what came out."""

from __future__ import annotations

from rich.markup import escape
from rich.table import Table

from dyno.analysis.why import CAUSES_SCHEMA, Causes, find_causes, first_starts, sides, whole
from dyno.cli.concluded import show_conclusion, write_conclusion
from dyno.cli.screen import out
from dyno.report.causes import causes_html, causes_terminal
from dyno.spec.plan import Plan
from dyno.spec.units import format_duration, plural
from dyno.store.run import RunFolder

# By the simulations of docs/adr/0039-causes-by-mirrored-rows.md, and by planted-causes.
_USUAL = (190, 500)


def preview(plan: Plan, *, trial_s: float, start_s: float) -> None:
    """The factors, and how long a search may take."""
    target = plan.explains
    assert target is not None
    out.print(f"[bold]{escape(plan.title)}[/]\n")
    out.print(f"{escape(whole(target))}\n")
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("factor", target.first, target.second):
        table.add_column(escape(heading), overflow="fold")
    for factor in target.factors:
        table.add_row(*map(escape, (factor.name, *sides(factor))))
    if target.server:
        table.add_row(
            "the servers", *(str(plan.arm(a).server) for a in (target.first, target.second))
        )
    out.print(table)
    if target.left:
        left = ", ".join(target.left)
        out.print(f"\n[bold]the servers have, too[/]  {escape(left)}", soft_wrap=True)
    out.print()
    tries = first_starts(target)
    if tries:
        out.print(
            f"[bold]starts[/]  {tries} of servers with mixed settings before the first trial, "
            f"{format_duration(tries * start_s)}; more if some are refused"
        )
    low_s, high_s = (trials * trial_s for trials in _USUAL)
    out.print(
        f"[bold]trials[/]  usually {_USUAL[0]} to {_USUAL[1]} of {trial_s:.1f} s, "
        f"{format_duration(low_s)} to {format_duration(high_s)}; by the budget at most "
        f"{plural(target.budget_trials, 'trial')}"
    )


def conclude_causes(folder: RunFolder) -> Causes:
    """Make the findings, and write findings.json and report.html."""
    causes = find_causes(folder)
    write_conclusion(folder.path, causes, causes_html(causes), schema=CAUSES_SCHEMA)
    return causes


def print_causes(folder: RunFolder, causes: Causes, *, json: bool) -> None:
    """The findings on stdout, and where the report is on stderr."""
    show_conclusion(folder.path, causes, causes_terminal, schema=CAUSES_SCHEMA, json=json)
