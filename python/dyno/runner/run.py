"""Runs a plan block by block into its run folder, until the judge has seen enough.

Every finished trial is on disk before the next one starts, so a run that was stopped, by whatever
means, resumes where it was: trials are numbered by the plan, and finished numbers are skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dyno.errors import InterruptedRunError, RunFailedError
from dyno.home import find_home, remove_tree
from dyno.hosts.alone import measuring_alone
from dyno.hosts.elsewhere import Elsewhere, FarSet
from dyno.runner.blocks import Blocks, fresh_work_folder
from dyno.runner.pace import Pace
from dyno.runner.progress import Progress
from dyno.servers import Login
from dyno.spec.plan import Plan
from dyno.spec.units import format_duration, plural
from dyno.store.run import RunFolder, RunState
from dyno.store.trial import Trial

if TYPE_CHECKING:
    from dyno.runner.far import Pool

# An arm without one good trial in this many blocks will have none.
BLOCKS_TO_LIVE = 3


@dataclass(frozen=True)
class Decision:
    """What the judge says after a block: whether to stop, why, and one line per comparison.
    `longer`: the plan with more blocks, perhaps of more arms, where what was seen decides what is
    measured next.
    """

    stop: bool
    reason: str
    lines: list[str]
    longer: Plan | None = None


Judge = Callable[[RunFolder, bool], Decision]
"""Asked after every block: (folder, whether this is a pre-set look). Stops count at looks only."""


def execute(
    folder: RunFolder,
    *,
    judge: Judge,
    progress: Progress,
    login: Login | None = None,
    again: str = "dyno run NAME --resume",
    elsewhere: Elsewhere | Sequence[FarSet] | None = None,
) -> RunState:
    """Run what is left of the folder's plan. Returns the final state, also stored in run.json.

    `again` is the command that goes on with it; `elsewhere`: the hosts that make the load, or sets
    of hosts that have the servers, too, if this one doesn't. Raises InterruptedRunError on Ctrl-C,
    RunFailedError when no trial of some arm succeeded, HostLostError if such a host vanishes twice;
    finished trials stay on disk in every case, and no server is left behind.
    """
    with _blocks(folder, progress, login or Login(), elsewhere) as blocks:
        run = _Run(folder, blocks, judge, progress)
        try:
            run.prepare()
            reason = run.run()
        except KeyboardInterrupt:
            run.state = run.ended("interrupted", "stopped by the user")
            raise _interrupted(folder, again) from None
        except BaseException as error:
            run.state = run.ended("interrupted", str(error))
            raise
    run.state = run.ended("complete", reason)
    return run.state


@contextmanager
def _blocks(
    folder: RunFolder,
    progress: Progress,
    login: Login,
    elsewhere: Elsewhere | Sequence[FarSet] | None,
) -> Iterator[Blocks | Pool]:
    """What runs the blocks, which leaves nothing running. This host is held if it measures."""
    plan = folder.plan()
    with ExitStack() as stack:
        blocks: Blocks | Pool
        if isinstance(elsewhere, Sequence):
            folder.drop_partial_trials()
            blocks = _pool(folder, plan, progress, elsewhere)
        else:
            home = find_home()
            stack.enter_context(measuring_alone(home))
            folder.drop_partial_trials()
            work = fresh_work_folder(home, folder)
            stack.callback(remove_tree, work)
            blocks = Blocks(
                folder, plan, progress, home=home, work=work, login=login, elsewhere=elsewhere
            )
        stack.callback(folder.drop_partial_trials)
        stack.callback(blocks.release)
        yield blocks


def _pool(folder: RunFolder, plan: Plan, progress: Progress, sets: Sequence[FarSet]) -> Pool:
    # Only here: a run on one host needs no engine.
    from dyno.runner.far import Pool

    return Pool(folder, plan, progress, sets)


def _interrupted(folder: RunFolder, again: str) -> InterruptedRunError:
    done = len(folder.done())
    if not done:
        return InterruptedRunError("interrupted before the first trial had finished")
    return InterruptedRunError(
        f"interrupted; {plural(done, 'finished trial')} in {folder.path}",
        hint=f"go on with: {again}",
    )


class _Run:
    """One execution: its blocks, until there is a reason to stop."""

    def __init__(
        self, folder: RunFolder, blocks: Blocks | Pool, judge: Judge, progress: Progress
    ) -> None:
        self.folder = folder
        self.plan = blocks.plan
        self.blocks = blocks
        self.judge = judge
        self.progress = progress
        self.state = folder.state()
        self.pace = Pace(budget_s=self.plan.protocol.budget, before_s=self.state.elapsed_s)

    def prepare(self) -> None:
        """Make all that the blocks need; then measuring begins."""
        self.blocks.prepare()
        self.pace.begin()

    def run(self) -> str:
        """All blocks until a reason to stop; gives the reason."""
        block = 0
        while block < len(self.plan.orders):
            batch = range(block, min(block + self.blocks.at_once, len(self.plan.orders)))
            missing = {each: len(self.blocks.missing(each)) for each in batch}
            trials = sum(missing.values())
            if trials and not self.pace.fits(trials):
                return self._out_of_budget(block)
            if trials:
                self.pace.begin_block()
                self.blocks.run([each for each in batch if missing[each]], self._trial_done)
                self.pace.end_block()
            for each in batch:
                if reason := self._judged(each, is_new=missing[each] > 0):
                    return reason
            block = batch.stop
        return f"the plan's last block, {len(self.plan.orders)}, is done"

    def _judged(self, block: int, *, is_new: bool) -> str | None:
        """Have a block judged that is done; a reason to stop after it."""
        self._check_arms_live(block)
        is_look = block + 1 in self.plan.looks
        if not is_new and not is_look and block + 1 < len(self.plan.orders):
            return None
        decision = self.judge(self.folder, is_look)
        self.progress.block_done(decision.lines)
        if is_look and decision.stop:
            return decision.reason
        if decision.longer is not None:
            self._go_on(decision.longer)
        return None

    def _go_on(self, plan: Plan) -> None:
        """Go on with a longer plan, which has all that the present one has."""
        self.folder.write_plan(plan)
        self.plan = plan
        # Only a search for causes needs more, and its servers are on this host.
        assert isinstance(self.blocks, Blocks)
        self.blocks.go_on(plan)

    def _trial_done(self) -> None:
        self.pace.trial_done()
        done, total = len(self.blocks.done), self.plan.trials_most
        self.progress.trial_done(
            done=done,
            total=total,
            elapsed_s=self.pace.elapsed_s(),
            eta_s=self.pace.eta_s(total - done),
        )

    def ended(self, state: str, reason: str) -> RunState:
        """Store how the run ended, or that it was interrupted."""
        blocks = sum(not self.blocks.missing(block) for block in range(len(self.plan.orders)))
        found = RunState.model_validate(
            self.state.model_dump()
            | {
                "state": state,
                "reason": reason,
                "elapsed_s": round(self.pace.elapsed_s(), 1),
                "blocks_done": blocks,
            }
        )
        self.folder.write_state(found)
        return found

    def _out_of_budget(self, block: int) -> str:
        budget = format_duration(self.plan.protocol.budget)
        return f"the budget of {budget} is spent after {plural(block, 'block')}"

    def _check_arms_live(self, block: int) -> None:
        """An arm that fails from the start, at all points, will go on failing: say so early."""
        if block + 1 != BLOCKS_TO_LIVE:
            return
        trials = list(self.folder.trials())
        dead = dead_arm(trials, [arm.name for arm in self.plan.arms])
        if dead is not None:
            raise RunFailedError(
                f"arm {dead!r} failed in each of the first {BLOCKS_TO_LIVE} blocks: "
                f"{next(t.failure for t in trials if t.arm == dead and t.failure)}",
                hint=f"see {self.folder.trials_path}/*/server.err, or leave it out with --arms",
            )


def dead_arm(trials: list[Trial], arms: list[str]) -> str | None:
    """The first arm that has a trial for each of these blocks, but no good one."""
    for arm in arms:
        own = [trial for trial in trials if trial.arm == arm]
        if len(own) >= BLOCKS_TO_LIVE and all(trial.status == "failed" for trial in own):
            return arm
    return None
