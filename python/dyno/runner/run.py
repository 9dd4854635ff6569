"""Runs a plan block by block into its run folder, until the judge has seen enough.

Every finished trial is on disk before the next one starts, so a run that was stopped, by whatever
means, goes on where it was: trials are numbered by the plan, and finished numbers are passed over.
"""

from __future__ import annotations

import fcntl
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from dyno.errors import InterruptedRunError, RunFailedError
from dyno.runner.bench import Bench, Login, share_copies
from dyno.runner.progress import Progress, TrialStep
from dyno.runner.trial import run_trial
from dyno.servers import Home, find_home
from dyno.spec.plan import Plan
from dyno.spec.units import format_duration, plural
from dyno.store.run import RunFolder, RunState
from dyno.store.trial import Trial

# The SQLSTATE of a lost connection and other troubles of the client: not the statement's fault.
LOST = "HY000"


@dataclass(frozen=True)
class Decision:
    """What the judge says after a block: whether to stop, why, and a line a comparison."""

    stop: bool
    reason: str
    lines: list[str]


Judge = Callable[[RunFolder, bool], Decision]
"""Asked after every block: (folder, whether this is a pre-set look). Stops count at looks only."""


def execute(
    folder: RunFolder, *, judge: Judge, progress: Progress, login: Login | None = None
) -> RunState:
    """Run what is left of the folder's plan. Returns the final state, also stored in run.json.

    Raises InterruptedRunError on Ctrl-C, RunFailedError when no trial of some arm succeeded;
    finished trials stay on disk in every case, and no server is left behind.
    """
    plan = folder.plan()
    home = find_home()
    with _measuring_alone(home):
        folder.drop_partial_trials()
        work = _fresh_work_folder(home, folder)
        benches = {
            arm.name: Bench(
                plan=plan, arm=arm, home=home, work=work / f"arm-{index}", login=login or Login()
            )
            for index, arm in enumerate(plan.arms)
        }
        run = _Run(folder, plan, benches, judge, progress)
        try:
            run.prepare()
            reason = run.blocks()
        except KeyboardInterrupt:
            run.state = run.ended("interrupted", "stopped by the user")
            raise InterruptedRunError(
                f"interrupted; {len(folder.done())} finished trials are in {folder.path}",
                hint=f"go on with: dyno run {plan.name} --resume",
            ) from None
        except BaseException as error:
            run.state = run.ended("interrupted", str(error))
            raise
        finally:
            for bench in benches.values():
                bench.release()
            shutil.rmtree(work, ignore_errors=True)
            folder.drop_partial_trials()
        run.state = run.ended("complete", reason)
    return run.state


class _Run:
    """One execution: the state that the blocks share."""

    def __init__(
        self,
        folder: RunFolder,
        plan: Plan,
        benches: dict[str, Bench],
        judge: Judge,
        progress: Progress,
    ) -> None:
        self.folder = folder
        self.plan = plan
        self.benches = benches
        self.judge = judge
        self.progress = progress
        self.state = folder.state()
        self.begun_s = time.monotonic()
        self.elapsed_before_s = self.state.elapsed_s
        self.block_times_s: list[float] = []
        self.done = folder.done()

    def prepare(self) -> None:
        """Servers first, then datasets: what can't be had is known before anything is measured."""
        for bench in self.benches.values():
            bench.work.mkdir(parents=True, exist_ok=True)
            bench.find_server(self.progress)
        for bench in self.benches.values():
            bench.load_dataset(self.progress)
        share_copies(list(self.benches.values()))
        self.begun_s = time.monotonic()

    def blocks(self) -> str:
        """All blocks until a reason to stop; gives the reason."""
        for block, order in enumerate(self.plan.orders):
            missing = self._missing(block, order)
            if missing and self._budget_is_spent():
                return self._out_of_budget(block)
            self._block(block, order, missing)
            self._check_arms_live(block)
            is_look = block + 1 in self.plan.looks
            if not missing and not is_look:
                continue
            decision = self.judge(self.folder, is_look)
            self.progress.block_done(decision.lines)
            if is_look and decision.stop:
                return decision.reason
        return f"the plan's last block, {len(self.plan.orders)}, is done"

    def ended(self, state: str, reason: str) -> RunState:
        """Store how the run ended, or that it was broken off."""
        blocks = sum(
            not self._missing(block, order) for block, order in enumerate(self.plan.orders)
        )
        found = RunState.model_validate(
            self.state.model_dump()
            | {
                "state": state,
                "reason": reason,
                "elapsed_s": round(self._elapsed_s(), 1),
                "blocks_done": blocks,
            }
        )
        self.folder.write_state(found)
        return found

    def _missing(self, block: int, order: list[str]) -> list[tuple[int, str]]:
        """The block's trials that aren't on disk yet, as (position, arm)."""
        return [
            (position, name)
            for position, name in enumerate(order)
            if self.plan.trial_number(block=block, position=position) not in self.done
        ]

    def _block(self, block: int, order: list[str], missing: list[tuple[int, str]]) -> None:
        """Run the block's missing trials."""
        begin = time.monotonic()
        for position, name in missing:
            number = self.plan.trial_number(block=block, position=position)
            where = TrialStep(
                block=block + 1,
                blocks=len(self.plan.orders),
                position=position + 1,
                arms=len(order),
                arm=name,
                step="",
            )
            trial = run_trial(
                self.folder,
                self.benches[name],
                number=number,
                block=block,
                position=position,
                say=lambda text, where=where: self.progress.step(  # type: ignore[misc]
                    replace(where, step=text)
                ),
            )
            self.done.add(number)
            if trial.status == "failed":
                self.progress.note(f"trial {number} ({name}) failed: {trial.failure}")
                _refuse_hopeless(trial, block)
            self._report(begin, len(missing), position)
        if len(missing) == len(order):
            self.block_times_s.append(time.monotonic() - begin)

    def _report(self, begin: float, missing: int, position: int) -> None:
        total = self.plan.looks[-1] * len(self.plan.arms)
        per_block = median(self.block_times_s) if self.block_times_s else None
        if per_block is None and position:
            per_block = (time.monotonic() - begin) / (position + 1) * len(self.plan.arms)
        done = len(self.done)
        eta = per_block * (total - done) / len(self.plan.arms) if per_block else None
        budget_left = self.plan.protocol.budget - self._elapsed_s()
        self.progress.trial_done(
            done=done,
            total=total,
            elapsed_s=self._elapsed_s(),
            eta_s=min(eta, max(0.0, budget_left)) if eta is not None else None,
        )

    def _elapsed_s(self) -> float:
        return self.elapsed_before_s + time.monotonic() - self.begun_s

    def _budget_is_spent(self) -> bool:
        """True if another block of the usual length would not fit."""
        next_block = median(self.block_times_s) if self.block_times_s else 0.0
        return self._elapsed_s() + next_block > self.plan.protocol.budget

    def _out_of_budget(self, block: int) -> str:
        budget = format_duration(self.plan.protocol.budget)
        return f"the budget of {budget} is spent after {plural(block, 'block')}"

    def _check_arms_live(self, block: int) -> None:
        """An arm that fails from the start will go on failing: say so after three blocks."""
        if block != 2:
            return
        ok = {trial.arm for trial in self.folder.trials() if trial.status == "ok"}
        for arm in self.plan.arms:
            if arm.name not in ok:
                reason = next(
                    t.failure for t in self.folder.trials() if t.arm == arm.name and t.failure
                )
                raise RunFailedError(
                    f"arm {arm.name!r} failed in each of the first 3 blocks: {reason}",
                    hint=f"see {self.folder.trials_path}/*/server.err, or leave it out with --arms",
                )


def _refuse_hopeless(trial: Trial, block: int) -> None:
    """A statement that the server refuses in the first block will be refused in all."""
    for run in trial.statements:
        if block == 0 and run.error is not None and run.error.sqlstate not in (None, LOST):
            raise RunFailedError(
                f"arm {trial.arm!r}: statement {run.statement} failed with error "
                f"{run.error.code} ({run.error.sqlstate}): {run.error.message}",
                hint="mend the statement, or leave the arm out with --arms",
            )


def _fresh_work_folder(home: Home, folder: RunFolder) -> Path:
    """Where this run's data folders lie. What killed runs left there is removed: with the lock
    held, no other run uses it.
    """
    for old in home.work.glob("run-*"):
        shutil.rmtree(old, ignore_errors=True)
    work = home.work / f"run-{folder.path.name}"
    work.mkdir()
    return work


@contextmanager
def _measuring_alone(home: Home) -> Iterator[None]:
    """Two runs at once on one host would measure each other: the second is refused."""
    with (home.locks / "measuring.lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RunFailedError(
                "another dyno run is measuring on this host",
                hint="wait for it to end: two at once would measure each other",
            ) from None
        yield
