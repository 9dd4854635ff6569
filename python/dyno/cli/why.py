"""`dyno why`: which settings make the difference that a run has found, by intervention."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from dyno.analysis import find
from dyno.analysis.why import Found, Next, WhyJudge, choose, explained, find_factors, why_plan
from dyno.analysis.why.plan import refuse_others
from dyno.cli import options as o
from dyno.cli.begin import new_run
from dyno.cli.causes import conclude_causes, preview, print_causes
from dyno.cli.find import find_run, runs_of
from dyno.cli.login import login
from dyno.cli.progress import Screen
from dyno.cli.screen import err, print_json
from dyno.errors import DynoError, SpecError
from dyno.runner import Decision, execute
from dyno.runner.tries import known, starts
from dyno.servers import find_home
from dyno.spec.experiment import Arm
from dyno.spec.plan import Plan
from dyno.store.run import RunFolder
from dyno.telemetry import host_facts

# As much as the search of 17 settings takes at 20 s a trial, and a reserve.
_BUDGET = "2h"


def why(
    run: Annotated[
        str, typer.Argument(help="A run folder, or an experiment's name: its newest run.")
    ],
    op: Annotated[str | None, typer.Option("--op", help="Explain this op's difference.")] = None,
    at: Annotated[
        str | None, typer.Option("--at", help='At this point of a sweep, e.g. "16 connections".')
    ] = None,
    arms: Annotated[
        tuple[str, str] | None, typer.Option("--arms", help="Between these two arms.")
    ] = None,
    budget: Annotated[
        str, typer.Option("--budget", help="Stop measuring after this long, e.g. 40m.")
    ] = _BUDGET,
    delta: Annotated[
        float,
        typer.Option("--delta", min=0.001, max=1, help="Leave out shares below: 0.01 is 1 %."),
    ] = 0.01,
    seed: o.Seed = o.SEED,
    check: Annotated[
        bool, typer.Option("--check", help="Show factors, trials and time; measure nothing.")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the newest unfinished search of this run.")
    ] = False,
    out: o.Out = o.OUT,
    json: o.Json = False,
) -> None:
    """Say which settings make the difference between two arms of a finished run.

    It measures on its own: rows of one arm's and the other's values against their mirror images,
    then fresh blocks for what stood out. The run that it explains isn't changed.
    """
    source = RunFolder.open(find_run(run, out))
    if resume:
        folder = _unfinished(source, out)
        _measure(folder, new=False, json=json, again=_again(run, out))
        return
    plan = _planned(source, op, at, arms or (), budget, delta, seed)
    if check:
        if json:
            print_json(plan.model_dump(mode="json"))
        else:
            preview(plan, trial_s=trial_s(source))
        return
    path, state = new_run(plan.name, out)
    folder = RunFolder.create(
        path, plan=plan, host={**host_facts(find_home().root).to_dict(), "floor": None}, state=state
    )
    _measure(folder, new=True, json=json, again=_again(run, out))


def _again(run: str, out: Path) -> str:
    place = [] if out == o.OUT else ["--out", str(out)]
    return shlex.join(["dyno", "why", run, "--resume", *place])


def _planned(
    source: RunFolder,
    op: str | None,
    at: str | None,
    arms: tuple[str, ...],
    budget: str,
    delta: float,
    seed: int,
) -> Plan:
    """The plan of the search, without a block."""
    plan = source.plan()
    if plan.explains is not None:
        raise SpecError(
            f"{source.path} is itself a search for causes",
            hint=f"give the run that it explains: {plan.explains.run}",
        )
    compared = choose(find(source), arms=arms, op=op, at=at)
    both = [plan.arm(compared.denominator_arm), plan.arm(compared.numerator_arm)]
    refuse_others(both)
    found = _factors(source, both)
    budget_s = o.seconds_from("--budget", budget)
    if not budget_s:
        raise SpecError("--budget: 0 leaves no time to measure", hint="give a time such as 1h")
    target = explained(
        compared,
        plan,
        found,
        run=source.path.name,
        seed=seed,
        budget_trials=max(1, int(budget_s / trial_s(source))),
        delta=delta,
    )
    return why_plan(plan, compared.point, target, budget_s=budget_s)


def _factors(source: RunFolder, arms: list[Arm]) -> Found:
    """What differs between two arms, as their first good trials read it from the servers."""
    read = {}
    for arm in arms:
        good = (t for t in source.trials() if t.arm == arm.name and t.is_good)
        settings = next((s for t in good if (s := source.settings(t.number))), None)
        if settings is None:
            raise SpecError(
                f"{source.path} has no settings that {arm.name!r} reported",
                hint="run the experiment again: dyno why needs what the servers said",
            )
        read[arm.name] = settings["session"]
    takes = {arm.name: known(arm, note=err.print) for arm in arms}
    return find_factors(arms[0], arms[1], read, takes)


def trial_s(source: RunFolder) -> float:
    """How long a trial of a run took, with all that belongs to it."""
    trials = len(source.done())
    return max(0.1, source.state().elapsed_s / trials) if trials else 20.0


def _measure(folder: RunFolder, *, new: bool, json: bool, again: str) -> None:
    """Search, and report what was found."""
    err.print(f"run folder: {escape(str(folder.path))}", soft_wrap=True)
    try:
        with Screen(err) as screen:
            judge = WhyJudge(folder.plan(), lambda arm: starts(arm, note=screen.note))
            begun = judge(folder)
            if begun.longer is not None:
                folder.write_plan(begun.longer)
                state = execute(
                    folder,
                    judge=lambda folder, is_look: _decision(judge(folder)),
                    progress=screen,
                    login=login(),
                    again=again,
                )
                err.print(f"stopped: {escape(state.reason)}\n", soft_wrap=True)
    except (DynoError, KeyboardInterrupt):
        if folder.done():
            conclude_causes(folder)
        elif new:
            shutil.rmtree(folder.path)  # Nothing was measured: nothing to resume or to report.
        raise
    print_causes(folder, conclude_causes(folder), json=json)


def _decision(then: Next) -> Decision:
    done = then.longer is None
    reason = "the search is over" if done else ""
    return Decision(stop=done, reason=reason, lines=then.lines, longer=then.longer)


def _unfinished(source: RunFolder, out: Path) -> RunFolder:
    """The newest search of a run that isn't complete. Raises SpecError."""
    for path in reversed(runs_of(f"why-{source.plan().name}", out)):
        folder = RunFolder.open(path)
        target = folder.plan().explains
        if target and target.run == source.path.name and folder.state().state != "complete":
            return folder
    raise SpecError(
        f"there is no unfinished search for causes of {source.path.name} in {out}",
        hint="start a new one without --resume",
    )
