"""`dyno run`: measure, judge, report."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from dyno.analysis import FLOOR_EXPERIMENT, LiveJudge, read_floor
from dyno.cli import options as o
from dyno.cli.asked import Asked, plan_from
from dyno.cli.begin import new_run
from dyno.cli.elsewhere import Others, facts_of, hosts_from, joined_hosts, refuse_hosts
from dyno.cli.find import find_experiment, runs_of
from dyno.cli.login import login
from dyno.cli.losses import execute_losses, run_losses, unfinished_losses
from dyno.cli.progress import Screen
from dyno.cli.report import conclude, print_conclusion
from dyno.cli.screen import err
from dyno.cli.unfinished import newest_unfinished
from dyno.errors import DynoError, SpecError
from dyno.home import find_home
from dyno.runner.beforehand import refuse_impossible, refuse_unaffordable
from dyno.runner.run import Decision, execute
from dyno.spec.plan import Plan
from dyno.spec.series import Series
from dyno.store.hosts import HostsUsed
from dyno.store.run import RunFolder
from dyno.telemetry import host_facts


def run(
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
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the newest unfinished run.")
    ] = False,
    hosts: o.Hosts = None,
    set_: o.HostSet = None,
    force: o.Force = False,
    out: o.Out = o.OUT,
    json: o.Json = False,
) -> None:
    """Run an experiment on real servers, and report what can be said.

    Each trial is on disk before the next starts; after Ctrl-C or a crash, --resume goes on.
    """
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
    again = _command(name, out, "--resume")
    if resume:
        if hosts is not None:
            raise SpecError(
                "--resume goes on with the hosts of the run; --hosts can't change them",
                hint="leave --hosts out, or start a new run without --resume",
            )
        _resume(name, asked, out, json=json, again=again)
        return
    plan = plan_from(name, asked)
    if isinstance(plan, Series):
        refuse_hosts(hosts)
        run_losses(plan, out_path=out, json=json, again=again)
        return
    refuse_impossible(plan)
    used = hosts_from(hosts, set_, plan)
    if not force:
        refuse_unaffordable(plan, here=used is None or not used.is_apart)
    with joined_hosts(used) as elsewhere:
        folder = new_folder(plan, out, elsewhere, used=used)
        measure_run(folder, new=True, json=json, again=again, elsewhere=elsewhere)


def _resume(name: str, asked: Asked, out: Path, *, json: bool, again: str) -> None:
    """Go on with the newest unfinished run of either kind."""
    if asked.flags:
        raise SpecError(
            f"--resume goes on with the stored plan; {', '.join(asked.flags)} can't change it",
            hint="leave the other options out, or start a new run without --resume",
        )
    crashing = unfinished_losses(name, out)
    if crashing is not None:
        execute_losses(crashing, json=json, again=again)
        return
    folder = _unfinished(name, out)
    with joined_hosts(folder.hosts()) as elsewhere:
        measure_run(folder, new=False, json=json, again=again, elsewhere=elsewhere)


def _command(name: str, out: Path, *flags: str) -> str:
    """A command line for the same experiment and folder."""
    place = [] if out == o.OUT else ["--out", str(out)]
    return shlex.join(["dyno", "run", name, *flags, *place])


def measure_run(
    folder: RunFolder, *, new: bool, json: bool, again: str, elsewhere: Others = None
) -> None:
    """Run what is left of the folder, and report it. `elsewhere`: the other hosts."""
    err.print(f"run folder: {escape(str(folder.path))}", soft_wrap=True)
    judge = LiveJudge(folder)

    def decide(folder: RunFolder, is_look: bool) -> Decision:
        verdict = judge(folder, is_look=is_look)
        return Decision(stop=verdict.stop, reason=verdict.reason, lines=verdict.lines)

    try:
        with Screen(err) as screen:
            state = execute(
                folder,
                judge=decide,
                progress=screen,
                login=login(),
                again=again,
                elsewhere=elsewhere,
            )
    except (DynoError, KeyboardInterrupt):
        if folder.done():
            conclude(folder)
        elif new:
            shutil.rmtree(folder.path)  # Nothing was measured: nothing to resume or to report.
        raise
    err.print(f"stopped: {escape(state.reason)}\n", soft_wrap=True)
    print_conclusion(folder, conclude(folder), json=json)


def new_folder(
    plan: Plan, out: Path, elsewhere: Others = None, *, used: HostsUsed | None = None
) -> RunFolder:
    """A new run's folder, with the plan, the hosts and the A/A floor that suits it, which a search
    for causes has none of. `used`: which other hosts it is made with.
    """
    path, state = new_run(plan.name, out)
    here = host_facts(find_home().root).to_dict()
    host = {**here, **facts_of(elsewhere), "floor": _floor(plan, out)}
    folder = RunFolder.create(path, plan=plan, host=host, state=state)
    if used is not None:
        folder.write_hosts(used)
    return folder


def _floor(plan: Plan, out: Path) -> dict[str, Any] | None:
    """What the newest A/A run beside this one measured that suits it; None where there is none,
    for itself, and where a control arm takes its place.
    """
    if plan.name == FLOOR_EXPERIMENT or plan.control is not None or plan.explains is not None:
        return None
    for path in reversed(runs_of(FLOOR_EXPERIMENT, out)):
        floor = read_floor(path, plan)
        if floor is not None:
            return floor.model_dump(mode="json")
    return None


def _unfinished(name: str, out: Path) -> RunFolder:
    """The newest run of the experiment that isn't complete."""
    label, _ = find_experiment(name)
    folder = newest_unfinished(label, out)
    if folder is not None:
        return folder
    hint = f"start a new one with: {_command(name, out)}"
    runs = runs_of(label, out)
    if runs:
        hint = f"see the last one with: dyno report {shlex.quote(str(runs[-1]))}\n{hint}"
    raise SpecError(f"there is no unfinished run of {label!r} in {out}", hint=hint)
