"""`dyno check`: the expanded plan with its cost, before anything runs."""

from __future__ import annotations

from rich.markup import escape
from rich.table import Table

from dyno.cli import options as o
from dyno.cli.screen import out, print_json
from dyno.spec.cost import estimate
from dyno.spec.experiment import Arm, Settings
from dyno.spec.plan import Plan
from dyno.spec.units import format_bytes, format_duration
from dyno.spec.wording import asks, expects


def check(
    name: o.Name,
    quick: o.Quick = False,
    scale: o.Scale = None,
    blocks: o.Blocks = None,
    budget: o.Budget = None,
    arms: o.Arms = None,
    server: o.Servers = None,
    seed: o.Seed = 42,
    json: o.Json = False,
) -> None:
    """Print what a run would do, every default included, and what it would cost."""
    plan = o.plan_from(
        name,
        quick=quick,
        scale=scale,
        blocks=blocks,
        budget=budget,
        arms=arms,
        servers=server,
        seed=seed,
    )
    if json:
        print_json(plan.model_dump(mode="json"))
        return
    out.print(f"[bold]{escape(plan.title)}[/]\n{escape(plan.question)}\n")
    out.print(_arms(plan))
    out.print(_workload(plan))
    out.print(_protocol(plan))
    if plan.claims:
        out.print(_claims(plan))
    if plan.left_out_claims:
        out.print(f"{len(plan.left_out_claims)} more claims are about arms or ops left out here\n")
    _print_cost(plan)


def _table(*headings: str, title: str) -> Table:
    table = Table(
        *headings, title=title, title_justify="left", title_style="bold", box=None, pad_edge=False
    )
    table.show_header = any(headings)
    return table


def _arms(plan: Plan) -> Table:
    table = _table("arm", "server", "engine", "settings", "session", title="Arms")
    for arm in plan.arms:
        mark = " (baseline)" if arm.baseline else ""
        table.add_row(
            escape(arm.name) + mark,
            escape(arm.server),
            arm.engine or "—",
            escape(_settings(arm)),
            escape(_pairs(arm.session)),
        )
    return table


def _settings(arm: Arm) -> str:
    tmpdir: Settings = {"tmpdir": "memory"} if arm.tmpdir == "memory" else {}
    return _pairs(arm.settings | tmpdir)


def _pairs(settings: Settings) -> str:
    return " ".join(f"{key}={value}" for key, value in settings.items()) or "—"


def _workload(plan: Plan) -> Table:
    table = _table("", "", title="\nWorkload: statements")
    for made in plan.workload.table:
        table.add_row(f"table {escape(made.name)}", f"{made.rows:,} rows")
    for sql in plan.workload.session:
        table.add_row("session", escape(sql))
    for statement in plan.workload.statement:
        compared = statement.compare
        what = compared if isinstance(compared, str) else ", ".join(map(str, compared))
        table.add_row(escape(statement.name), f"{escape(statement.sql)}  [dim](compare {what})[/]")
    return table


def _protocol(plan: Plan) -> Table:
    protocol = plan.protocol
    table = _table("", "", title="\nProtocol")
    table.add_row("blocks", f"looks after {', '.join(map(str, plan.looks))} blocks")
    table.add_row("order", f"drawn anew for each block from seed {plan.options.seed}")
    table.add_row(
        "server", "freshly started per trial" if protocol.fresh_server else "kept running"
    )
    table.add_row(
        "rounds",
        f"{protocol.warmup_rounds} to warm up, {protocol.rounds} measured, "
        f"{plan.points[0].connections} connection(s)",
    )
    table.add_row("budget", format_duration(protocol.budget))
    table.add_row(
        "stops when",
        f"every comparison is different, equivalent (within {protocol.delta:.1%}) or precise "
        f"(±{protocol.target:.1%}); alpha {protocol.alpha:g}",
    )
    return table


def _claims(plan: Plan) -> Table:
    table = _table("claim", "asks", "expects", title="\nClaims")
    for planned in plan.claims:
        table.add_row(escape(planned.claim.says), escape(asks(planned)), expects(planned))
    return table


def _print_cost(plan: Plan) -> None:
    cost = estimate(plan)
    guess = " (guessed: the experiment names no expected_trial)" if cost.trial_is_guessed else ""
    out.print(
        f"\n[bold]Cost[/]\ntime  {format_duration(cost.first_look_s)} to the first look, at most "
        f"{format_duration(cost.last_look_s)}; {format_duration(cost.trial_s)} a trial{guess}\n"
        f"disk  about {format_bytes(cost.disk_bytes)}: {cost.datasets} × "
        f"{format_bytes(cost.dataset_bytes)} of tables, each as a snapshot and a working copy\n"
    )
    out.print(f"Run it with: dyno run {escape(plan.name)}{' --quick' * plan.options.quick}")
