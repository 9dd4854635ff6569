"""The difference that `dyno why` is about: which one of a finished run, and what could cause it."""

from __future__ import annotations

from dataclasses import dataclass

from dyno.analysis import find
from dyno.analysis.verdicts.model import Compared
from dyno.analysis.why import Found, choose, find_factors, refuse_others
from dyno.cli.screen import err
from dyno.errors import SpecError
from dyno.runner.tries import known
from dyno.spec.experiment import Arm
from dyno.spec.plan import Plan
from dyno.store.run import RunFolder


@dataclass(frozen=True)
class Difference:
    """Two arms' difference in a run, and the factors that could be its causes."""

    source: RunFolder
    plan: Plan
    compared: Compared
    found: Found

    @property
    def arms(self) -> tuple[Arm, Arm]:
        """The first and the second arm of the comparison."""
        return _arms(self.plan, self.compared)

    def trial_s(self, start_s: float) -> float:
        """How long a trial of a search takes, at most: as long as one of the run, or all its
        slices, and a start of its server, which several trials of the run may have shared.
        """
        trials, protocol = len(self.source.done()), self.plan.protocol
        each_s = max(0.1, self.source.state().elapsed_s / trials) if trials else 20.0
        as_there_s = protocol.slices * each_s
        return as_there_s if protocol.restart == "trial" else as_there_s + start_s


def find_difference(
    source: RunFolder,
    *,
    op: str | None,
    at: str | None,
    metric: str | None,
    arms: tuple[str, ...],
) -> Difference:
    """The difference that is asked for, or the run's largest. Raises SpecError."""
    plan = source.plan()
    if plan.explains is not None:
        raise SpecError(
            f"{source.path} is itself a search for causes",
            hint=f"give the run that it explains: {plan.explains.run}",
        )
    compared = choose(find(source), arms=arms, op=op, at=at, metric=metric)
    both = _arms(plan, compared)
    refuse_others(both)
    return Difference(source, plan, compared, _factors(source, both))


def _arms(plan: Plan, compared: Compared) -> tuple[Arm, Arm]:
    return plan.arm(compared.denominator_arm), plan.arm(compared.numerator_arm)


def _factors(source: RunFolder, arms: tuple[Arm, Arm]) -> Found:
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
