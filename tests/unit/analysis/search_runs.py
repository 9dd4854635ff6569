"""Run folders with a task that searches, beside the tasks of task_runs: what it found is given."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from load_runs import BEGIN_S
from spec_samples import SEARCH
from task_runs import TASKS, task_run, with_tasks

from dyno.analysis import find
from dyno.analysis.model import Findings
from dyno.store.trial import Attempt, TaskRun, Trial

LEAST = "least log"
LOW, HIGH, MIB = 65_536, 67_108_864, 1_048_576
FULL = "Creating index 'c_2' required more than 'innodb_online_alter_log_max_size' bytes"

# What a search came to, by arm and block.
Search = Callable[[str, int], TaskRun]


def tried(value: int, elapsed_s: float, *, ok: bool) -> Attempt:
    if ok:
        return Attempt(value=value, outcome="ok", elapsed_s=elapsed_s)
    return Attempt(value=value, outcome="failed", elapsed_s=elapsed_s, code=1799, message=FULL)


def found(value: int) -> TaskRun:
    """Two attempts failed, after 0.5 s and 1.5 s; two succeeded, in 0.8 s each."""
    attempts = [
        tried(HIGH, 0.8, ok=True),
        tried(LOW, 0.5, ok=False),
        tried(value * 4 // 5, 1.5, ok=False),
        tried(value, 0.8, ok=True),
    ]
    return _run(4.5).model_copy(update={"attempts": attempts, "least": value})


def never_failed() -> TaskRun:
    attempts = [tried(HIGH, 0.8, ok=True), tried(LOW, 0.8, ok=True)]
    return _run(2.0).model_copy(update={"attempts": attempts, "least": LOW})


def always_failed() -> TaskRun:
    failure = {"outcome": "failed", "code": 1799, "message": FULL}
    return _run(0.6).model_copy(update={"attempts": [tried(HIGH, 0.6, ok=False)], **failure})


def killed() -> TaskRun:
    last = Attempt(value=LOW, outcome="timeout", elapsed_s=600.0, message="killed after 10 min")
    attempts = [tried(HIGH, 0.8, ok=True), last]
    return _run(601.0).model_copy(update={"attempts": attempts, "outcome": "timeout"})


def _run(elapsed_s: float) -> TaskRun:
    return TaskRun(name=LEAST, start_s=BEGIN_S + 15.0, elapsed_s=elapsed_s, outcome="ok")


def by_arm(arm: str, block: int) -> TaskRun:
    """Arm a finds 1, 2, 4 MiB and so on, arm b half as much more."""
    value = MIB * 2 ** (block % 3)
    return found(value if arm == "a" else value * 3 // 2)


def search_run(
    path: Path, search: Search = by_arm, *, blocks: int = 3, more: str = "", void: str | None = None
) -> Findings:
    """The findings of trials whose last task searched; `void`: why all of them are."""

    def change(trial: Trial) -> Trial:
        whole = with_tasks(trial)
        tasks = [*whole.tasks, search(trial.arm, trial.block)]
        return whole.model_copy(update={"tasks": tasks, "void": void})

    return find(task_run(path, blocks=blocks, text=TASKS + SEARCH + more, change=change))
