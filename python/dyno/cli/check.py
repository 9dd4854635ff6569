"""`dyno check`: the expanded plan with its cost, before anything runs."""

from __future__ import annotations

import shlex
import sys

from rich.markup import escape
from rich.table import Table

from dyno.cli import options as o
from dyno.cli.arms import settings_of, shared_settings
from dyno.cli.asked import Asked, plan_from
from dyno.cli.check_tasks import measured, task_rows
from dyno.cli.elsewhere import hosts_from, refuse_hosts
from dyno.cli.find import runs_of
from dyno.cli.screen import out, print_json
from dyno.cpus import format_cpus
from dyno.runner.beforehand import refuse_impossible, refuse_unaffordable
from dyno.runner.placement import sets_of
from dyno.spec.cost import Cost, estimate
from dyno.spec.experiment import (
    Protocol,
    Restart,
)
from dyno.spec.kind import pairs
from dyno.spec.plan import Plan
from dyno.spec.point import Point
from dyno.spec.series import Series
from dyno.spec.units import format_bytes, format_duration, plural
from dyno.spec.wording import asks, expects
from dyno.store.hosts import HostsUsed

RESTARTS: dict[Restart, str] = {
    "trial": "freshly started per trial",
    "block": "started once a block, for all its points",
    "never": "kept running",
}


def check(
    name: o.Name,
    quick: o.Quick = False,
    scale: o.Scale = None,
    blocks: o.Blocks = None,
    budget: o.Budget = None,
    arms: o.Arms = None,
    server: o.Servers = None,
    connections: o.Connections = None,
    duration: o.Duration = None,
    control: o.Control = None,
    seed: o.Seed = o.SEED,
    hosts: o.Hosts = None,
    set_: o.HostSet = None,
    force: o.Force = False,
    json: o.Json = False,
) -> None:
    """Print what a run would do, every default included, and what it would cost."""
    asked = Asked(
        quick=quick,
        scale=scale,
        blocks=blocks,
        budget=budget,
        arms=arms,
        server=server,
        connections=connections,
        duration=duration,
        control=control,
        seed=seed,
    )
    plan = plan_from(name, asked)
    if isinstance(plan, Series):
        refuse_hosts(hosts)
        # It takes half a second to load, which only series of crashes need.
        from dyno.cli.losses import check_losses

        check_losses(plan, json=json)
        return
    refuse_impossible(plan)
    used = hosts_from(hosts, set_, plan)
    if json:
        print_json(plan.model_dump(mode="json"))
    else:
        print_plan(plan, run=["run", *sys.argv[2:]])
        if used is not None:
            _print_hosts(used)
    if not force:
        refuse_unaffordable(plan, here=used is None or not used.is_apart)


def print_plan(plan: Plan, *, run: list[str]) -> None:
    """The plan and its cost; `run`: the words after dyno that run it."""
    out.print(f"[bold]{escape(plan.title)}[/]\n{escape(plan.question)}\n")
    out.print(_arms(plan))
    if shared := shared_settings(plan.arms):
        out.print(f"every arm: {escape(pairs(shared))}")
    out.print(_workload(plan))
    if plan.tasks:
        out.print(_tasks(plan))
    out.print(_protocol(plan))
    if plan.claims:
        out.print(_claims(plan))
    if plan.left_out_claims:
        left_out = plural(len(plan.left_out_claims), "more claim")
        out.print(f"{left_out}, about arms, ops or levels left out here\n")
    _print_cost(plan, run)
    _print_spread(plan)


def _print_hosts(used: HostsUsed) -> None:
    """Who does what; `dyno hosts check` says whether they are there."""
    for each in used.chosen:
        server, *loads = map(used.inventory.named, [each.server, *each.load])
        name = f": set {each.name}" if used.inventory.set else ""
        table = _table("", "", "", title=f"\nHosts{escape(name)}")
        table.add_row("servers", server.name, server.address)
        whole = sum(host.weight for host in loads)
        for host in loads:
            share = f"{host.weight / whole:.0%} of the connections"
            table.add_row("load", host.name, f"{host.address}, {share}")
        out.print(table)
    if len(used.chosen) > 1:
        out.print(f"{len(used.chosen)} blocks are measured at once, each wholly on one set")


def _table(*headings: str, title: str) -> Table:
    table = Table(
        *headings, title=title, title_justify="left", title_style="bold", box=None, pad_edge=False
    )
    table.show_header = any(headings)
    return table


def _arms(plan: Plan) -> Table:
    """The arms with what is theirs alone; `check` prints what they have in common."""
    table = _table("arm", "server", "engine", "settings", "session", title="Arms")
    for column in table.columns[2:]:
        column.overflow = "fold"
    shared = shared_settings(plan.arms)
    for arm in plan.arms:
        mark = " (baseline)" if arm.baseline else ""
        if arm.name == plan.control:
            mark = f" (copy of {escape(plan.baseline.name)})"
        own = {key: value for key, value in settings_of(arm).items() if key not in shared}
        table.add_row(
            escape(arm.name) + mark,
            escape(str(arm.server)),
            escape(arm.storage or "—"),
            escape(pairs(own)),
            escape(pairs(arm.session)),
        )
    return table


def _workload(plan: Plan) -> Table:
    workload = plan.own_workload
    table = _table("", "", title=f"\nWorkload: {workload.kind}")
    for name, value in workload.facts():
        table.add_row(escape(name), escape(value))
    for sql in workload.session:
        table.add_row("session", escape(sql))
    loads = [workload.for_load(arm.engine).model_dump() for arm in plan.arms]
    if engines := {load["engine"] for load in loads if "engine" in load}:
        table.add_row("engine", escape(", ".join(sorted(engines))))
    return table


def _protocol(plan: Plan) -> Table:
    protocol = plan.protocol
    table = _table("", "", title="\nProtocol")
    looks = f"looks after {', '.join(map(str, plan.looks))} blocks"
    if plan.looks[-1] < protocol.blocks_for_interval:
        looks += f", too few for an interval: that takes {protocol.blocks_for_interval}"
    table.add_row("blocks", looks)
    table.add_row("order", f"drawn for each block from seed {plan.options.seed}")
    table.add_row("server", RESTARTS[protocol.restart])
    if plan.is_load:
        _load_rows(table, plan)
    else:
        table.add_row(
            "rounds",
            f"{protocol.warmup_rounds} to warm up, {protocol.rounds} measured, "
            f"{plan.points[0].label}",
        )
    table.add_row("placement", _placement(protocol))
    table.add_row("timeout", f"{format_duration(protocol.timeout)} an op")
    table.add_row("budget", format_duration(protocol.budget))
    table.add_row(
        "stops when",
        f"every primary comparison is different, equivalent (within {protocol.delta:.1%}) or "
        f"precise (±{protocol.target:.1%}); alpha {protocol.alpha:g}",
    )
    return table


def _placement(protocol: Protocol) -> str:
    """In words, with the CPUs of this host."""
    sets = sets_of(protocol.placement)
    where = "wherever the kernel puts threads (free)"
    if sets is not None:
        server, generator = map(format_cpus, sets)
        where = f"server on CPUs {server}, load generator and dyno on {generator}"
    return f"{where}, kept awake" if protocol.awake else where


def _load_rows(table: Table, plan: Plan) -> None:
    """Points, load model and phases of a load."""
    protocol, points = plan.protocol, plan.points
    open_load = points[0].rate_per_s is not None
    if open_load:
        held = f", over {plural(points[0].connections, 'connection')}"
        model = f"open, {protocol.arrivals} arrivals{held}"
    else:
        think = protocol.think
        pause = f"{think * 1000:g} ms, {protocol.think_is}" if think is not None else "none"
        model = f"closed, think time {pause}"
    table.add_row("points", _points(points))
    table.add_row("load", model)
    warmup = f"{format_duration(protocol.warmup)} to warm up" if protocol.warmup else "no warm-up"
    by_turns = f", {protocol.slices} slices a block" if protocol.slices > 1 else ""
    table.add_row("phases", f"{warmup}, {measured(plan)}{by_turns}")
    if protocol.loads:
        blocks = plural(min(protocol.loads, plan.looks[-1]), "block")
        table.add_row("loads", f"each arm's data are loaded once more, timed, in {blocks}")
    primary = sum(comparison.primary for comparison in plan.comparisons)
    table.add_row("comparisons", f"{primary} primary, {len(plan.comparisons) - primary} besides")


def _points(points: list[Point]) -> str:
    """All scripts or values, by group, and all levels, the last with its unit."""
    groups: dict[str, dict[str, None]] = {}
    for variant in (point.variant for point in points):
        if variant is not None:
            groups.setdefault(variant.group, {})[variant.name] = None
    lines = [f"{group}: {', '.join(names)}".removeprefix(": ") for group, names in groups.items()]
    levels = list(dict.fromkeys(f"{point.level:,.10g}" for point in points))
    if not groups or len(levels) > 1:
        each = "each at " if groups else ""
        lines.append(each + ", ".join([*levels[:-1], points[-1].level_label]))
    return escape("\n".join(lines))


def _tasks(plan: Plan) -> Table:
    table = _table("task", "does", "when", title="\nTasks of each trial")
    for row in task_rows(plan):
        table.add_row(*map(escape, row))
    return table


def _claims(plan: Plan) -> Table:
    table = _table("claim", "asks", "expects", title="\nClaims")
    for planned in plan.claims:
        table.add_row(escape(planned.claim.says), escape(asks(planned)), expects(planned))
    return table


def _print_cost(plan: Plan, run: list[str]) -> None:
    cost = estimate(plan)
    guess = " (guessed: the experiment names no expected_trial)" if cost.trial_is_guessed else ""
    trials = f"; {plural(plan.block_trials, 'trial')} a block" if len(plan.points) > 1 else ""
    rows = (
        f"{cost.datasets} × {format_bytes(cost.dataset_bytes)} of tables, each as a snapshot and a "
        "working copy"
    )
    grows = ", before trials write to them" if plan.is_load and plan.writes else ""
    out.print(
        f"\n[bold]Cost[/]\ntime  {format_duration(cost.first_look_s)} to the first look, at most "
        f"{format_duration(cost.last_look_s)}; {format_duration(cost.trial_s)} a trial{trials}"
        f"{guess}{_short_budget(plan, cost)}{_loading(cost)}\n"
        f"disk  about {format_bytes(cost.disk_bytes)}: {rows}{grows}\n"
    )
    out.print(f"Run it with: {escape(shlex.join(['dyno', *run]))}", soft_wrap=True)


def _print_spread(plan: Plan) -> None:
    """What the newest complete run beside this one says of blocks and the length of trials."""
    paths = runs_of(plan.name, o.OUT)
    if not paths:
        return
    # It takes half a second to load.
    from dyno.analysis import read_findings, widest

    for path in reversed(paths):
        findings = read_findings(path)
        found = widest(findings) if findings else None
        if found is not None and found.spread is not None:
            spread = found.spread
            inside = f", {spread.within:.1%} inside trials" if spread.within is not None else ""
            what = f"{found.numerator_op}, {found.numerator_arm} / {found.denominator_arm}"
            said = f"{what}: {spread.block:.1%} in all{inside}. {spread.says}"
            out.print(f"\n[bold]Spread[/] in {escape(f'{path}, of {said}')}", soft_wrap=True)
        if findings is not None:
            return


def _loading(cost: Cost) -> str:
    """A line on loading, where it takes long enough to matter."""
    if cost.load_s + cost.check_s < 10:
        return ""
    checked = f", and {format_duration(cost.check_s)} to check them" if cost.check_s else ""
    return (
        f"\n      besides, about {format_duration(cost.load_s)} once to load the data{checked} "
        "(guessed)"
    )


def _short_budget(plan: Plan, cost: Cost) -> str:
    """A line where the budget ends before the first look; else nothing."""
    first, budget_s = plan.looks[0], plan.protocol.budget
    # What is done once, such as a check of the data, is in each block's time.
    fits = int(budget_s // cost.block_s)
    if fits >= first or cost.first_look_s < budget_s:
        return ""
    return (
        f"\n      the budget holds {fits} of the first look's {plural(first, 'block')}: "
        "raise it with --budget, or leave arms or points out"
    )
