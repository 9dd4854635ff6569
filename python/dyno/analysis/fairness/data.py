"""The check of a load's data: did they keep the workload's rules after the trials? Unknown is not
yes. Trials with broken data still count: what that means is for the reader to judge.
"""

from __future__ import annotations

from collections.abc import Iterator

from dyno.analysis.fairness.model import Fairness
from dyno.analysis.samples import Samples
from dyno.spec.checked import is_checked, shares_data
from dyno.spec.data_check import FIRST_BLOCK, NEVER, DataCheck, broken, unknown
from dyno.spec.plan import Plan
from dyno.spec.units import plural
from dyno.store.trial import Trial

NAME = "data"


def checks(plan: Plan, samples: Samples) -> Iterator[Fairness]:
    """One check, or none where the workload has no rules to check."""
    check_data = plan.workload.data_rules
    if check_data is None:
        return
    if check_data == NEVER:
        says = 'The data were not checked: check_data is "never".'
        yield Fairness(name=NAME, check="unknown", says=says)
        return
    ended = [trial for trial in samples.trials if trial.status == "ok"]
    trials = [
        trial
        for trial in ended
        if trial.data_checks
        or is_checked(plan, trial.arm, block=trial.block, position=trial.position)
    ]
    if check_data != FIRST_BLOCK:
        after = "each trial of the run"
    elif shares_data(plan):
        after = "each arm's last trial of the first block"
    else:
        after = "each trial of the first block"
    checked = {trial.arm for trial in trials}
    left_out = sorted({trial.arm for trial in ended} - checked)
    yield _judged(trials, after, left_out)


def _judged(trials: list[Trial], after: str, left_out: list[str]) -> Fairness:
    """`left_out`: arms with trials of which none was checked."""
    wrong = [trial for trial in trials if broken(trial.data_checks)]
    unsure = [trial for trial in trials if not trial.data_checks or unknown(trial.data_checks)]
    lines = [*_broken_lines(trials), *_unknown_lines(unsure)]
    if wrong:
        return Fairness(
            name=NAME,
            check="failed",
            says=f"After {plural(len(wrong), 'trial')} of {len(trials)} the data broke rules of "
            f"the workload: {', '.join(dict.fromkeys(trial.arm for trial in wrong))} didn't do "
            "all of the work that is counted.",
            details=lines,
        )
    if unsure or not trials:
        return Fairness(
            name=NAME,
            check="unknown",
            says=f"After {plural(len(unsure), 'trial')} of {len(trials)} not all rules of the "
            "data could be checked."
            if trials
            else "No trial ran to its end.",
            details=lines,
        )
    if left_out:
        says = f"The data of {', '.join(left_out)} were not checked: the trial to check failed."
        return Fairness(name=NAME, check="unknown", says=says)
    most = max(len(trial.data_checks) for trial in trials)
    says = f"All {most} rules of the data held after {after}."
    return Fairness(name=NAME, check="ok", says=says)


def _broken_lines(trials: list[Trial]) -> Iterator[str]:
    """A line for each arm and rule, with the first trial's example."""
    found: dict[tuple[str, str], list[tuple[Trial, DataCheck]]] = {}
    for trial in trials:
        for check in broken(trial.data_checks):
            found.setdefault((trial.arm, check.name), []).append((trial, check))
    for (arm, _), seen in found.items():
        first, check = seen[0]
        more = f"; in {plural(len(seen), 'trial')}" if len(seen) > 1 else ""
        yield f"{arm}, trial {first.number}: {check.line} ({check.says}){more}"


def _unknown_lines(trials: list[Trial]) -> Iterator[str]:
    """A line for each arm and reason."""
    said: dict[tuple[str, str], Trial] = {}
    for trial in trials:
        reasons = [check.line for check in unknown(trial.data_checks)] or ["nothing was checked"]
        for reason in reasons:
            said.setdefault((trial.arm, reason), trial)
    for (arm, reason), first in said.items():
        yield f"{arm}, trial {first.number}: {reason}"
