"""Who waited for a task: by its samples, of which old ones and those of failures tell nothing."""

from __future__ import annotations

from dyno.analysis.task_waits import waits
from dyno.store.trial import Progress, TaskRun

LOCK = "table metadata lock"


def run(*waiting: int | None) -> TaskRun:
    samples = [
        Progress(t_s=0.2 * place, waiting=count, waiting_for=LOCK if count else None)
        for place, count in enumerate(waiting)
    ]
    return TaskRun(name="optimize", elapsed_s=5.0, outcome="ok", progress=samples)


def test_the_most_of_all_trials_and_the_median_share() -> None:
    found = waits([run(0, 4, 4, 4), run(0, 0, 1, 3), run(0, 0, 0, 0)])
    assert found is not None
    assert (found.trials, found.most, found.what) == (3, 4, LOCK)
    assert found.share == 0.5


def test_nobody_who_waited_is_known_and_not_unknown() -> None:
    found = waits([run(0, 0), run()])
    assert found is not None
    assert (found.trials, found.most, found.share, found.what) == (1, 0, 0, None)


def test_samples_that_do_not_tell_are_unknown() -> None:
    assert waits([run(None, None), run()]) is None
