"""Whether server and load generator ran where the experiment put them."""

from __future__ import annotations

from dyno.analysis.fairness.model import Fairness
from dyno.analysis.samples import Samples
from dyno.spec.placement import FREE, SPLIT
from dyno.spec.plan import Plan
from dyno.spec.units import plural
from dyno.store.placement import Placed
from dyno.store.trial import Trial

NAME = "placement"
# Up to this many, which CPUs the kernel chooses can decide the figure (docs/adr/0026).
FEW_CONNECTIONS = 4


def check(plan: Plan, samples: Samples) -> Fairness:
    """As declared, by what was read back of every thread."""
    if plan.protocol.placement in (FREE, SPLIT) and any(map(_is_apart, samples.ok)):
        says = "Other hosts made the load: the server had the CPUs of its host to itself."
        return Fairness(name=NAME, check="ok", says=says)
    if plan.protocol.placement == FREE:
        return _free(plan)
    found = [(trial, trial.placement) for trial in samples.ok]
    seen = [(trial, placed) for trial, placed in found if placed is not None and placed.sets]
    if not seen:
        return Fairness(name=NAME, check="unknown", says="No trial says where its threads ran.")
    if details := _elsewhere(seen):
        return Fairness(
            name=NAME,
            check="failed",
            says="Threads might run on CPUs that weren't theirs.",
            details=details,
        )
    sets = sorted({str(placed.sets) for _, placed in seen})
    if len(sets) > 1:
        says = f"Not the same CPUs in all trials: {' and '.join(sets)} (server/load generator)."
        return Fairness(name=NAME, check="failed", says=says)
    unseen = [trial for trial, placed in found if placed is None or not _whole(placed)]
    if unseen:
        says = f"In {plural(len(unseen), 'trial')} not all threads could be checked."
        return Fairness(name=NAME, check="unknown", says=says)
    (_, last) = seen[-1]
    says = (
        f"All threads were on their CPUs in all trials: the server's on {last.server}, the load "
        f"generator's on {last.generator}."
    )
    return Fairness(name=NAME, check="ok", says=says)


def _is_apart(trial: Trial) -> bool:
    """Whether other machines made its load."""
    return bool(trial.load_hosts) and not any(host.is_here for host in trial.load_hosts)


def _free(plan: Plan) -> Fairness:
    few = [p.connections for p in plan.points if p.connections <= FEW_CONNECTIONS]
    if not plan.is_load or not few:
        return Fairness(name=NAME, check="ok", says="The kernel chose the CPUs (free).")
    return Fairness(
        name=NAME,
        check="warning",
        says=f"The kernel chose the CPUs (free): with {plural(min(few), 'connection')} its choice "
        'can decide the figure. placement = "split" takes it away'
        f"{'' if plan.protocol.slices > 1 else '; with slices it averages out'}.",
    )


def _elsewhere(seen: list[tuple[Trial, Placed]]) -> list[str]:
    """Each kind of line once, with the first trial that has it."""
    first: dict[str, int] = {}
    for trial, placed in seen:
        for line in placed.elsewhere:
            first.setdefault(line, trial.number)
    return [f"{line} (trial {number})" for line, number in first.items()]


def _whole(placed: Placed) -> bool:
    return bool(placed.server_threads and placed.generator_threads)
