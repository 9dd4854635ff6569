"""What stood still beside a task: who waited for it by its samples, and a load without an op."""

from __future__ import annotations

from dyno.analysis.tasks.around import LoadAround
from dyno.analysis.tasks.waits import waits
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


def test_that_nobody_waited_is_known() -> None:
    found = waits([run(0, 0), run()])
    assert found is not None
    assert (found.trials, found.most, found.share, found.what) == (1, 0, 0, None)


def test_samples_that_do_not_tell_are_unknown() -> None:
    assert waits([run(None, None), run()]) is None


def test_no_op_at_all_counts_as_one_and_is_not_left_out() -> None:
    silent = LoadAround(
        per_s={"before": 100.0, "during": 0.0, "after": 90.0}, silent_s={}, one_per_s=0.2
    )
    assert (silent.beside_per_s, silent.kept) == (0.2, 0.002)
    unknown = LoadAround(
        per_s={"before": 100.0, "during": None, "after": None}, silent_s={}, one_per_s=1
    )
    assert (unknown.beside_per_s, unknown.kept) == (None, None)
