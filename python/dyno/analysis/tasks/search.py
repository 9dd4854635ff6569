"""Tasks that search: the least value that was found, and what the failed attempts cost.

Only good trials count, since a load that wasn't as planned needs another value.
"""

from __future__ import annotations

from collections import Counter

from dyno.analysis.samples import Samples
from dyno.analysis.tasks.model import TaskSearch
from dyno.analysis.values import median_of_known, over_blocks
from dyno.spec.plan import Quantity
from dyno.spec.task import Task
from dyno.store.trial import TaskRun, Trial


def searched(
    task: Task, arm: str, point: int, trials: list[Trial], samples: Samples
) -> TaskSearch | None:
    """For one arm at one point: its trials, each of which has the task. None for other tasks."""
    least = task.least
    if least is None:
        return None
    good = [trial for trial in trials if trial.is_good]
    runs = [run for trial in good for run in trial.tasks if run.name == task.name]
    key = Quantity(arm=arm, op=task.name, point=point, metric="task_least")
    by_block = samples.of(key)
    values = list(by_block.values())
    failed_s, ended_s = _times_s(runs, "failed"), _times_s(runs, "ok")
    return TaskSearch(
        variable=least.variable,
        in_bytes=least.in_bytes,
        tried_from=least.from_,
        tried_to=least.to,
        within=least.within,
        n=len(values),
        never_failed=sum(run.never_failed for run in runs),
        always_failed=sum(run.always_failed for run in runs),
        least=over_blocks(values),
        least_min=min(values, default=None),
        least_max=max(values, default=None),
        blocks=sorted(by_block.items()),
        attempts=median_of_known(len(run.attempts) for run in runs if run.least is not None),
        failed=len(failed_s),
        failed_codes=_codes(runs),
        failed_s=median_of_known(failed_s),
        ended=len(ended_s),
        ended_s=median_of_known(ended_s),
    )


def _times_s(runs: list[TaskRun], outcome: str) -> list[float]:
    return [tried.elapsed_s for run in runs for tried in run.attempts if tried.outcome == outcome]


def _codes(runs: list[TaskRun]) -> dict[str, int]:
    """The servers' error numbers, the most frequent first."""
    found = (tried for run in runs for tried in run.attempts if tried.outcome == "failed")
    counts = Counter("no error number" if t.code is None else str(t.code) for t in found)
    return dict(counts.most_common())
