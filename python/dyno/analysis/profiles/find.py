"""The profiles of a run -> each arm against the baseline, at the point where they differ most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import TypeVar

from dyno.analysis.costs.counters import most_apart
from dyno.analysis.profiles.compare import compare
from dyno.analysis.profiles.latency import LatencyTrial, compare_latency
from dyno.analysis.profiles.model import LatencySplit, ProfileComparison
from dyno.analysis.profiles.trial import ProfiledTrial
from dyno.analysis.samples import Samples
from dyno.analysis.verdicts.model import Compared
from dyno.spec.plan import Plan
from dyno.spec.protocol import PROFILED_BLOCKS_LEAST
from dyno.store.run import RunFolder
from dyno.store.stacks import together
from dyno.store.trial import Trial, WaitsOfThreads

MEASURE = "measure"
_OfBlock = TypeVar("_OfBlock", ProfiledTrial, LatencyTrial)


def compare_profiles(
    plan: Plan, folder: RunFolder, samples: Samples, compared: list[Compared]
) -> Iterator[ProfileComparison]:
    """Arms that lack the profiles of three blocks that the baseline has, too, are left out."""
    if not plan.is_load:
        return
    point = most_apart(plan, compared)
    for names, ours, theirs in _pairs(plan, lambda arm: arm_profiles(folder, samples, arm, point)):
        yield compare(ours, theirs, names=names, point=point)


def split_latencies(
    plan: Plan, samples: Samples, compared: list[Compared]
) -> Iterator[LatencySplit]:
    """Each arm against the baseline, where both have the waits of three blocks.

    Only of closed loads without pauses: in others a connection waits for its next op, too.
    """
    if not plan.is_load:
        return
    point = most_apart(plan, compared)
    if plan.protocol.think is not None or plan.points[point].rate_per_s is not None:
        return
    for names, ours, theirs in _pairs(plan, lambda arm: _latencies(samples, arm, point)):
        yield compare_latency(ours, theirs, names=names, point=point)


def _pairs(
    plan: Plan, read: Callable[[str], list[_OfBlock]]
) -> Iterator[tuple[tuple[str, str], list[_OfBlock], list[_OfBlock]]]:
    """Names and trials of each arm and the baseline, if they share as many blocks as it takes."""
    baseline = next((arm.name for arm in plan.arms if arm.baseline), None)
    theirs = read(baseline) if baseline is not None else []
    if baseline is None or not theirs:
        return
    blocks = {trial.block for trial in theirs}
    for arm in plan.arms:
        if arm.name == baseline:
            continue
        ours = read(arm.name)
        if len(blocks & {trial.block for trial in ours}) >= PROFILED_BLOCKS_LEAST:
            yield (arm.name, baseline), ours, theirs


def _latencies(samples: Samples, arm: str, point: int) -> list[LatencyTrial]:
    """An arm's waits at a point, by block, without those that can't be.

    Those of slices add up: each has the same threads.
    """
    of_block: dict[int, list[tuple[WaitsOfThreads, int]]] = {}
    for trial in samples.ok:
        measured = trial.summary.phase(MEASURE) if trial.summary is not None else None
        if (trial.arm, trial.point) == (arm, point) and trial.waits and measured and measured.ok:
            of_block.setdefault(trial.block, []).append((trial.waits, measured.ok))
    made = [
        LatencyTrial(
            block=block,
            ops=sum(ops for _, ops in found),
            threads=found[0][0].threads,
            seconds=sum(waits.seconds for waits, _ in found),
            cpu_s=sum(waits.cpu_s for waits, _ in found),
            run_queue_s=sum(waits.run_queue_s for waits, _ in found),
            states=sum((Counter(waits.states) for waits, _ in found), Counter()),
        )
        for block, found in sorted(of_block.items())
    ]
    return [trial for trial in made if trial.is_possible]


def arm_profiles(folder: RunFolder, samples: Samples, arm: str, point: int) -> list[ProfiledTrial]:
    """An arm's profiles at a point, by block; a block's slices are together."""
    of_block: dict[int, list[ProfiledTrial]] = {}
    for trial in samples.ok:
        if (trial.arm, trial.point) == (arm, point):
            found = _profiled(folder, trial)
            if found is not None:
                of_block.setdefault(trial.block, []).append(found)
    return [
        ProfiledTrial(
            block=block,
            stacks=together(trial.stacks for trial in trials),
            cpu_s=sum(trial.cpu_s for trial in trials),
            ops=sum(trial.ops for trial in trials),
        )
        for block, trials in sorted(of_block.items())
    ]


def _profiled(folder: RunFolder, trial: Trial) -> ProfiledTrial | None:
    """A trial's profile; None without one, or without the exact CPU time that goes with it."""
    measured = trial.summary.phase(MEASURE) if trial.summary is not None else None
    cost = trial.phases.get(MEASURE)
    if trial.profiler is None or measured is None or cost is None or not measured.ok:
        return None
    if cost.cpu_user_s is None or cost.cpu_system_s is None:
        return None
    stacks = folder.stacks(trial.number)
    cpu_s = cost.cpu_user_s + cost.cpu_system_s
    if not stacks or not cpu_s > 0:
        return None
    return ProfiledTrial(block=trial.block, stacks=stacks, cpu_s=cpu_s, ops=measured.ok)
