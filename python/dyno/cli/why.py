"""`dyno why`: which settings make the difference that a run has found, by intervention."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from dyno.analysis.why import SEARCH, Next, WhyJudge, explained, settable, why_plan
from dyno.cli import options as o
from dyno.cli.causes import conclude_causes, preview, print_causes
from dyno.cli.curve import planned_curve, resume_curve, run_curve
from dyno.cli.difference import Difference, find_difference
from dyno.cli.dry import DryStarts
from dyno.cli.elsewhere import Others, joined_hosts
from dyno.cli.find import find_run
from dyno.cli.login import login
from dyno.cli.progress import Screen
from dyno.cli.run import new_folder
from dyno.cli.screen import err, print_json
from dyno.cli.unfinished import newest_unfinished
from dyno.errors import DynoError, SpecError
from dyno.runner.run import Decision, execute
from dyno.spec.plan import Plan
from dyno.store.run import RunFolder

# As much as the search of 17 settings takes at 20 s a trial, and a reserve.
_BUDGET = "2h"
Run = Annotated[str, typer.Argument(help="A run folder, or an experiment's name: its newest run.")]
Op = Annotated[str | None, typer.Option("--op", help="Explain this op's difference.")]
At = Annotated[
    str | None, typer.Option("--at", help='At this point of a sweep, e.g. "16 connections".')
]
Metric = Annotated[
    str | None,
    typer.Option(
        "--metric", help="In this metric: time, throughput, task_time, load_time, server_cpu, ..."
    ),
]
Pair = Annotated[tuple[str, str] | None, typer.Option("--arms", help="Between these two arms.")]
Budget = Annotated[str, typer.Option("--budget", help="Stop measuring after this long, e.g. 40m.")]
Delta = Annotated[
    float,
    typer.Option("--delta", min=0.001, max=1, help="Leave out shares below: 0.01 is 1 %."),
]
Curve = Annotated[
    str | None,
    typer.Option(
        "--curve",
        metavar="SETTING=V1,V2",
        help="Measure these values of one setting, and each arm's own.",
    ),
]
Check = Annotated[
    bool, typer.Option("--check", help="Show factors, trials and time; measure nothing.")
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Go on with the newest unfinished search of this run.")
]


def why(
    run: Run,
    op: Op = None,
    at: At = None,
    metric: Metric = None,
    arms: Pair = None,
    budget: Budget = _BUDGET,
    delta: Delta = 0.01,
    curve: Curve = None,
    seed: o.Seed = o.SEED,
    check: Check = False,
    resume: Resume = False,
    out: o.Out = o.OUT,
    json: o.Json = False,
) -> None:
    """Say which settings make the difference between two arms of a finished run.

    It measures on its own: rows of one arm's and the other's values against their mirror images,
    then fresh blocks for what stood out. The run that it explains isn't changed.
    """
    source = RunFolder.open(find_run(run, out))
    used = source.hosts()
    if used is not None and used.is_apart:
        raise SpecError(
            "the servers of this run were on another host, and dyno why starts them on this one",
            hint="run the experiment here, and ask about that run",
        )
    again = _again(run, curve, out)
    if resume:
        if curve:
            resume_curve(source, curve, out, json=json, again=again)
        else:
            folder = _unfinished(source, out)
            with joined_hosts(folder.hosts()) as elsewhere:
                _measure(folder, new=False, json=json, again=again, elsewhere=elsewhere)
        return
    budget_s = o.seconds_from("--budget", budget)
    if not budget_s:
        raise SpecError("--budget: 0 leaves no time to measure", hint="give a time such as 1h")
    difference = find_difference(source, op=op, at=at, metric=metric, arms=arms or ())
    if curve:
        first = arms[0] if arms else None
        plan = planned_curve(difference, curve, first=first, budget_s=budget_s, seed=seed)
        run_curve(plan, out, used, check=check, json=json, again=again)
        return
    plan, start_s = _planned(difference, budget_s, delta, seed)
    if check:
        if json:
            print_json(plan.model_dump(mode="json"))
        else:
            preview(plan, trial_s=difference.trial_s(start_s), start_s=start_s)
        return
    with joined_hosts(used) as elsewhere:
        folder = new_folder(plan, out, elsewhere, used=used)
        _measure(folder, new=True, json=json, again=again, elsewhere=elsewhere)


def _again(run: str, curve: str | None, out: Path) -> str:
    detail = ["--curve", curve] if curve else []
    place = [] if out == o.OUT else ["--out", str(out)]
    return shlex.join(["dyno", "why", run, *detail, "--resume", *place])


def _planned(
    difference: Difference, budget_s: float, delta: float, seed: int
) -> tuple[Plan, float]:
    """The plan of the search, without a block, and how long a start of a server takes."""
    plan, compared = difference.plan, difference.compared
    with Screen(err) as screen:
        dry = DryStarts(screen, budget_s=budget_s)
        found = settable(difference.found, *difference.arms, dry)
        start_s = dry.elapsed_s / max(1, dry.count)
    target = explained(
        compared,
        plan,
        found,
        run=difference.source.path.name,
        seed=seed,
        budget_trials=max(1, int(budget_s / difference.trial_s(start_s))),
        delta=delta,
    )
    return why_plan(plan, compared.point, target, budget_s=budget_s), start_s


def _measure(folder: RunFolder, *, new: bool, json: bool, again: str, elsewhere: Others) -> None:
    """Search, and report what was found."""
    err.print(f"run folder: {escape(str(folder.path))}", soft_wrap=True)
    try:
        with Screen(err) as screen:
            plan = folder.plan()
            judge = WhyJudge(plan, DryStarts(screen, budget_s=plan.protocol.budget))
            begun = judge(folder)
            folder.write_plan(judge.plan)
            if begun.longer is not None:
                state = execute(
                    folder,
                    judge=lambda folder, is_look: _decision(judge(folder)),
                    progress=screen,
                    login=login(),
                    again=again,
                    elsewhere=elsewhere,
                )
                err.print(f"stopped: {escape(state.reason)}\n", soft_wrap=True)
                folder.write_plan(judge.plan)  # Its last starts may have had no block after them.
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
    run = source.path.name
    folder = newest_unfinished(
        SEARCH + source.plan().name,
        out,
        fits=lambda plan: plan.explains is not None and plan.explains.run == run,
    )
    if folder is not None:
        return folder
    raise SpecError(
        f"there is no unfinished search for causes of {source.path.name} in {out}",
        hint="start a new one without --resume",
    )
